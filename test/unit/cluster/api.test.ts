import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Api } from '../../../src/cluster/api.ts';
import { connect } from '../../../src/cluster/connect.ts';
import {
  ApiError,
  ConnectionError,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
} from '../../../src/cluster/errors.ts';
import { apiFor, kubeconfig } from './support/kubeconfig.ts';
import { type Handler, refuse, startServer, type TestServer } from './support/server.ts';

describe('API calls', () => {
  let server: TestServer;
  let api: Api;
  let handler: Handler;

  before(async () => {
    server = await startServer((request, response) => handler(request, response));
    api = await apiFor(server.url);
  });
  after(() => server.close());

  const requestsDuring = async (work: () => Promise<unknown>) => {
    const before = server.requests.length;
    await work();
    return server.requests.slice(before);
  };

  const refusal = async (code: number, reason: string, message: string, path = '/api/v1/nodes/n1') => {
    handler = (_, response) => refuse(response, code, reason, message);
    const error = await api.get(path).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert(error instanceof ApiError, String(error));
    assert.equal(error.message, message);
    return error;
  };

  describe('that the server refuses', () => {
    it('401: log in', async () => {
      assert.match((await refusal(401, 'Unauthorized', 'Unauthorized')).next, /log in again/);
    });

    it('403: names the right that lacks', async () => {
      const path = '/apis/storage.k8s.io/v1/csinodes/n1';
      const error = await refusal(
        403,
        'Forbidden',
        'csinodes "n1" is forbidden: User "jane" cannot get',
        path,
      );
      assert(isForbidden(error));
      assert.match(
        error.next,
        /get csinodes\.storage\.k8s\.io; kubectl auth can-i get csinodes\.storage\.k8s\.io/,
      );
    });

    it('403 in a namespace names namespace and subresource', async () => {
      const error = await refusal(403, 'Forbidden', 'no', '/api/v1/namespaces/kube-system/pods/p/log');
      assert.match(error.next, /get pods\/log in namespace kube-system/);
      const { verb, resource, subresource, namespace, objectName } = error;
      assert.deepEqual(
        [verb, resource, subresource, namespace, objectName],
        ['get', 'pods', 'log', 'kube-system', 'p'],
      );
    });

    it('404, 409 and 410 are told apart', async () => {
      assert(isNotFound(await refusal(404, 'NotFound', 'nodes "n1" not found')));
      assert(isConflict(await refusal(409, 'Conflict', 'the object has been modified')));
      assert(isGone(await refusal(410, 'Expired', 'too old resource version')));
    });

    it('500 without a Status: the first line of what came', async () => {
      handler = (_, response) => {
        response.statusCode = 502;
        return '<html><head><title>x</title></head><body><h1>Bad gateway</h1>\n</body></html>';
      };
      await assert.rejects(api.get('/version'), {
        status: 502,
        message: 'the server answered 502: Bad gateway',
      });
    });

    it('429: waits as told, twice at most', async () => {
      handler = (_, response) => {
        response.setHeader('retry-after', '0');
        return refuse(response, 429, 'TooManyRequests', 'too many requests');
      };
      const asked = await requestsDuring(() => assert.rejects(api.get('/version'), { status: 429 }));
      assert.equal(asked.length, 3);
    });

    it('429 with a long wait: says how long', async () => {
      handler = (_, response) => {
        response.setHeader('retry-after', '60');
        return refuse(response, 429, 'TooManyRequests', 'too many requests');
      };
      await assert.rejects(api.get('/version'), { status: 429, next: /again in 60 s/ });
    });
  });

  describe('that find no server', () => {
    const failing = async (url: string, failure: string) => {
      await assert.rejects((await apiFor(url)).get('/version'), (error: unknown) => {
        assert(error instanceof ConnectionError, String(error));
        assert.equal(error.failure, failure);
        assert.notEqual(error.next, '');
        return true;
      });
    };
    it('refused', async () => {
      const gone = await startServer(() => ({}));
      await gone.close();
      await failing(gone.url, 'refused');
    });
    it('unknown host', () => failing('https://no-such-host.invalid', 'unknown-host'));

    it('time-out before the answer, and in the middle of it', async () => {
      handler = () => undefined;
      const limit = { timeoutMs: 60 };
      await assert.rejects(api.get('/version', {}, limit), { failure: 'timeout', next: /--request-timeout/ });
      handler = (_, response) => void response.write('{');
      await assert.rejects(api.get('/version', {}, limit), { failure: 'timeout' });
    });

    it('keeps to --request-timeout', async () => {
      handler = () => undefined;
      const file = kubeconfig({ server: server.url, 'insecure-skip-tls-verify': true });
      const hasty = await connect({ kubeconfig: file, requestTimeoutMs: 50, env: {} });
      await assert.rejects(hasty.api.get('/version'), { failure: 'timeout' });
    });

    it("throws the caller's own reason when the signal aborts", async () => {
      handler = () => undefined;
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error('interrupted')), 30);
      await assert.rejects(api.get('/version', {}, { signal: stop.signal }), /^Error: interrupted$/);
    });

    it('no Kubernetes at the other end', async () => {
      handler = () => '<html>Welcome</html>';
      await assert.rejects(api.get('/version'), {
        failure: 'not-kubernetes',
        message: /did not answer with JSON/,
      });
    });
  });

  it('reads again when the connection breaks, writes never', async () => {
    let breaks = 2;
    handler = (_, response) => {
      breaks -= 1;
      return breaks >= 0 ? void response.socket?.destroy() : { ok: true };
    };
    assert.deepEqual(await api.get('/version'), { ok: true });
    breaks = 1;
    const asked = await requestsDuring(() =>
      assert.rejects(api.create('/api/v1/nodes', {}), { failure: 'broken' }),
    );
    assert.equal(asked.length, 1);
  });

  it('unpacks gzip', async () => {
    handler = (request, response) => {
      assert.equal(request.headers['accept-encoding'], 'gzip');
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('{"packed":"ä"}'));
    };
    assert.deepEqual(await api.get('/version'), { packed: 'ä' });
  });

  it('keeps the path of a server behind one address', async () => {
    handler = () => ({});
    await (await apiFor(`${server.url}/k8s/clusters/c-1`)).get('/version', { a: 'x y', b: undefined });
    assert.equal(server.requests.at(-1)?.url, '/k8s/clusters/c-1/version?a=x+y');
  });

  it('uses one connection for calls that follow one another', async () => {
    const ports = new Set<number | undefined>();
    handler = (_, response) => {
      ports.add(response.socket?.remotePort);
      return {};
    };
    for (let call = 0; call < 5; call++) await api.get('/version');
    assert.equal(ports.size, 1);
  });

  it('speaks plain HTTP to kubectl proxy', async () => {
    const plain = await startServer(() => ({ plain: true }), { plain: true });
    try {
      const { api } = await connect({ server: plain.url, env: {} });
      assert.deepEqual(await api.get('/version'), { plain: true });
    } finally {
      await plain.close();
    }
  });

  describe('lists', () => {
    const page = (items: readonly number[], next?: string) => ({ items, metadata: { continue: next } });

    it('follow the continue token', async () => {
      handler = ({ url }) => {
        const query = new URL(url, 'http://x').searchParams;
        assert.equal(query.get('limit'), '500');
        assert.equal(query.get('labelSelector'), 'a=b');
        return query.get('continue') === 'more' ? page([3]) : page([1, 2], 'more');
      };
      assert.deepEqual(await api.list('/api/v1/nodes', { labelSelector: 'a=b' }), [1, 2, 3]);
    });

    it('start once more when the token has expired', async () => {
      let expired = false;
      handler = ({ url }, response) => {
        if (!url.includes('continue')) return page([1], 'old');
        if (expired) return page([2]);
        expired = true;
        return refuse(response, 410, 'Expired', 'the provided continue parameter is too old');
      };
      assert.deepEqual(await api.list('/api/v1/nodes'), [1, 2]);
    });

    it('take null for no items', async () => {
      handler = () => ({ items: null, metadata: {} });
      assert.deepEqual(await api.list('/api/v1/nodes'), []);
    });
  });

  describe('writes', () => {
    it('create hands back the warnings', async () => {
      handler = ({ body, method, headers }, response) => {
        assert.deepEqual([method, headers['content-type']], ['POST', 'application/json']);
        response.setHeader('warning', ['299 - "would violate \\"baseline\\""', '299 - "second, one"']);
        return JSON.parse(body);
      };
      const created = await api.create('/api/v1/namespaces/a/pods', { kind: 'Pod' }, { dryRun: 'All' });
      assert.deepEqual(created.object, { kind: 'Pod' });
      assert.deepEqual(created.warnings, ['would violate "baseline"', 'second, one']);
      assert.equal(server.requests.at(-1)?.url, '/api/v1/namespaces/a/pods?dryRun=All');
    });

    it('patch says which kind of patch', async () => {
      handler = ({ headers }) => ({ type: headers['content-type'] });
      const types = ['merge', 'strategic', 'json', 'apply'] as const;
      const sent = await Promise.all(
        types.map((type) => api.patch<{ type: string }>('/api/v1/nodes/n', {}, type)),
      );
      const names = ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml'];
      assert.deepEqual(
        sent.map(({ type }) => type),
        names.map((name) => `application/${name}`),
      );
    });

    it('remove sends its options', async () => {
      handler = () => ({});
      await api.remove('/api/v1/namespaces/a/pods/p', { gracePeriodSeconds: 0 });
      const last = server.requests.at(-1);
      assert.deepEqual([last?.method, last?.body], ['DELETE', '{"gracePeriodSeconds":0}']);
    });
  });
});
