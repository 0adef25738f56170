import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttp2Server, connect as http2Connect } from 'node:http2';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../../src/cluster/api.ts';
import { connect } from '../../../src/cluster/connect.ts';
import { isForbidden } from '../../../src/cluster/errors.ts';
import { duplex } from '../../../src/cluster/http/exec.ts';
import { type ExecServer, serveExec } from './support/exec-server.ts';
import { apiFor, kubeconfig } from './support/kubeconfig.ts';
import { authority } from './support/pki.ts';
import { startConnectProxy } from './support/proxies.ts';
import { scratch } from './support/scratch.ts';
import { startServer, type TestServer } from './support/server.ts';

const target = { namespace: 'kube-system', pod: 'agent', container: 'main' };
/** The tests' own time limits end what hangs. */
const { signal } = new AbortController();

for (const protocol of ['v5.channel.k8s.io', 'v4.channel.k8s.io']) {
  describe(`exec over ${protocol}`, function () {
    this.timeout(15_000);
    let server: TestServer;
    let served: ExecServer;
    let api: Api;
    const halfClose = protocol.startsWith('v5');

    before(async () => {
      server = await startServer(() => ({}));
      served = serveExec(server, protocol);
      api = await apiFor(server.url, { user: { token: 'abc', as: 'jane', 'as-groups': ['ops', 'dev'] } });
    });
    after(() => server.close());

    it('runs a command: output, errors and exit code', async () => {
      const stream = await api.exec(target, ['sh', '-c', 'echo out; echo err >&2; exit 3'], { signal });
      const [stdout, stderr, status] = await Promise.all([
        text(stream.stdout),
        text(stream.stderr),
        stream.status,
      ]);
      assert.deepEqual([stdout, stderr, status.exitCode], ['out\n', 'err\n', 3]);
      assert.match(status.message, /exit code/);
      assert.equal(stream.halfClose, halfClose);
    });

    it('tells the server what to run, and who asks', async () => {
      const stream = await api.exec(target, ['echo', 'a b', '&x=1'], { signal, stdin: true });
      assert.equal(await text(stream.stdout), 'a b &x=1\n');
      assert.deepEqual(await stream.status, { exitCode: 0, message: '' });
      const { query, headers } = served.calls.at(-1) ?? assert.fail('no call');
      assert.deepEqual([query.get('container'), query.get('stdin')], ['main', 'true']);
      assert.equal(headers.authorization, 'Bearer abc');
      assert.deepEqual([headers['impersonate-user'], headers['impersonate-group']], ['jane', 'ops, dev']);
    });

    it('carries some megabytes of binary data both ways', async () => {
      const payload = randomBytes(5_000_003);
      const command = ['head', '-c', String(payload.length)];
      const stream = await api.exec(target, command, { signal, stdin: true });
      stream.stdin.write(payload);
      assert(payload.equals(await buffer(stream.stdout)));
      assert.equal((await stream.status).exitCode, 0);
    });

    it(halfClose ? 'ends standard input alone' : 'cannot end standard input, and goes on', async () => {
      const stream = await api.exec(target, ['sh', '-c', 'cat; echo end'], { signal, stdin: true });
      stream.stdin.end('text;');
      await once(stream.stdin, 'finish');
      if (halfClose) {
        assert.equal(await text(stream.stdout), 'text;end\n');
      } else {
        assert.equal(String(await once(stream.stdout, 'data')), 'text;');
        assert.equal(await Promise.race([stream.status, sleep(50, 'runs')]), 'runs');
        stream.close();
        assert.equal((await stream.status).exitCode, null);
      }
    });

    it('holds the sender back while nobody reads', async () => {
      const stream = await api.exec(target, ['head', '-c', '20000000', '/dev/zero'], { signal });
      await once(stream.stdout, 'readable');
      await sleep(100);
      assert(
        stream.stdout.readableLength < 2_000_000,
        `${stream.stdout.readableLength} bytes lie in the buffer`,
      );
      let bytes = 0;
      for await (const chunk of stream.stdout) bytes += chunk.length;
      assert.equal(bytes, 20_000_000);
      assert.equal((await stream.status).exitCode, 0);
    });

    it('a command that cannot start has no exit code, but words', async () => {
      const stream = await api.exec(target, ['/no/such/command'], { signal });
      const status = await stream.status;
      assert.equal(status.exitCode, null);
      assert.match(status.message, /ENOENT/);
    });

    it('a connection that breaks fails the streams and the status', async () => {
      const stream = await api.exec(target, ['sleep', '60'], { signal, stdin: true });
      served.sockets.at(-1)?.terminate();
      await assert.rejects(text(stream.stdout), { name: 'ConnectionError', failure: 'broken' });
      assert.deepEqual((await stream.status).exitCode, null);
      assert.match((await stream.status).message, /ended \(1006\)/);
    });

    it('an abort ends it at once', async () => {
      const stop = new AbortController();
      const stream = await api.exec(target, ['sleep', '60'], { signal: stop.signal });
      stop.abort(new Error('interrupted'));
      await assert.rejects(text(stream.stdout), /interrupted/);
      assert.deepEqual(await stream.status, { exitCode: null, message: 'interrupted' });
    });

    it('carries HTTP/2 to a socket', async () => {
      const socket = join(scratch, `${protocol}.sock`);
      const inner = createHttp2Server((request, response) => request.pipe(response));
      await new Promise<void>((resolve) => inner.listen(socket, resolve));
      inner.unref();
      const stream = await api.exec(target, ['tunnel', socket], { signal, stdin: true });
      const session = http2Connect('http://csi', { createConnection: () => duplex(stream) });
      const request = session.request({ ':method': 'POST', ':path': '/csi.v1.Identity/Probe' });
      const payload = randomBytes(300_000);
      request.end(payload);
      assert(payload.equals(await buffer(request)));
      session.close();
      stream.close();
      await stream.status;
      inner.close();
    });
  });
}

describe('exec that is refused', () => {
  let server: TestServer;
  let answer: string;
  let asked: (string | undefined)[];
  beforeEach(async () => {
    asked = [];
    server = await startServer(() => ({}));
    server.onUpgrade((request, socket) => {
      asked.push(request.headers.authorization);
      socket.end(answer);
    });
  });
  afterEach(() => server.close());

  const reply = (status: string, body: object) => {
    const json = JSON.stringify(body);
    return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;
  };

  it("gives the server's words", async () => {
    const message = 'pods "agent" is forbidden: User "jane" cannot get resource "pods/exec"';
    answer = reply('403 Forbidden', { kind: 'Status', code: 403, reason: 'Forbidden', message });
    const api = await apiFor(server.url);
    await assert.rejects(api.exec(target, ['ls'], { signal }), (error: unknown) => {
      assert(isForbidden(error));
      assert.equal(String(error), `ApiError: ${message}`);
      assert.match(
        (error as { next: string }).next,
        /get pods\/exec in namespace kube-system; kubectl auth can-i get pods\/exec -n kube-system/,
      );
      return true;
    });
  });

  it('asks an exec plugin for a new token after 401', async () => {
    answer = reply('401 Unauthorized', { kind: 'Status', code: 401, message: 'Unauthorized' });
    const status = { token: 'x' };
    const exec = { command: 'echo', args: [JSON.stringify({ kind: 'ExecCredential', status })] };
    const api = await apiFor(server.url, { user: { exec } });
    await assert.rejects(api.exec(target, ['ls'], { signal }), { status: 401 });
    assert.deepEqual(asked, ['Bearer x', 'Bearer x']);
  });

  it('says that the connection failed', async () => {
    await server.close();
    const api = await apiFor(server.url);
    await assert.rejects(api.exec(target, ['ls'], { signal }), { failure: 'refused' });
  });

  it('aborts while the server is silent', async () => {
    const silent = await startServer(() => ({}));
    silent.onUpgrade(() => undefined);
    const api = await apiFor(silent.url);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('interrupted')), 30);
    await assert.rejects(api.exec(target, ['ls'], { signal: stop.signal }), /^Error: interrupted$/);
    await silent.close();
  });
});

describe('exec through a proxy', () => {
  it('uses proxy-url and tls-server-name as requests do', async () => {
    const server = await startServer(() => ({}));
    serveExec(server, 'v5.channel.k8s.io');
    const proxy = await startConnectProxy(server.port);
    try {
      const cluster = {
        server: 'https://other.test:6443',
        'certificate-authority': authority.certFile,
        'tls-server-name': 'kube.test',
        'proxy-url': `http://127.0.0.1:${proxy.port}`,
      };
      const { api } = await connect({ kubeconfig: kubeconfig(cluster), env: {} });
      const stream = await api.exec(target, ['echo', 'hello'], { signal });
      assert.equal(await text(stream.stdout), 'hello\n');
      assert.deepEqual(proxy.targets, ['other.test:6443']);
    } finally {
      await Promise.all([proxy.close(), server.close()]);
    }
  });
});
