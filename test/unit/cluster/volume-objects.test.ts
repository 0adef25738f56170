import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { Api } from '../../../src/cluster/api.ts';
import { readReplayInput } from '../../../src/cluster/snapshot/volume-objects.ts';
import { replayOf } from '../../../src/kubelet/publish/index.ts';
import type { UsedVolume } from '../../../src/kubelet/publish/input.ts';
import { hostPath, nodeName } from '../../../src/model/ids.ts';
import { seen } from '../../../src/model/observed.ts';
import * as fixture from '../kubelet/publish/fixture.ts';
import { apiFor } from './support/kubeconfig.ts';
import { refuse, startServer, type TestServer } from './support/server.ts';

/** The tests' own time limits end what hangs. */
const { signal: live } = new AbortController();
const { use } = fixture.input();
const secretReference = { name: 'keys', namespace: 'vault' };

const paths = {
  node: '/api/v1/nodes/worker',
  pod: '/api/v1/namespaces/shop/pods/app',
  claim: '/api/v1/namespaces/shop/persistentvolumeclaims/claim',
  volume: '/api/v1/persistentvolumes/pv-1',
  driver: '/apis/storage.k8s.io/v1/csidrivers/x.csi',
  secret: '/api/v1/namespaces/vault/secrets/keys',
  token: '/api/v1/namespaces/shop/serviceaccounts/default/token',
};

const objects: Readonly<Record<string, unknown>> = {
  [paths.node]: { status: { nodeInfo: { kubeletVersion: 'v1.34.4' } } },
  [paths.pod]: fixture.pod(),
  [paths.claim]: fixture.claim,
  [paths.volume]: fixture.persistentVolume(),
  [paths.driver]: fixture.csiDriver(),
  [paths.secret]: { data: { key: Buffer.from('värde').toString('base64'), empty: '' } },
  [paths.token]: { status: { token: 'jwt', expirationTimestamp: '2026-01-01T00:00:00Z' } },
};

describe('the objects of a volume', () => {
  let server: TestServer;
  let api: Api;

  afterEach(() => server.close());

  /** Serves the objects, some of them changed; a number is the status of a refusal. */
  async function serve(changes: Readonly<Record<string, unknown>> = {}) {
    const served = { ...objects, ...changes };
    server = await startServer(({ url }, response) => {
      const object = served[url] ?? 404;
      if (object === 404) return refuse(response, 404, 'NotFound', `${url} not found`);
      return object === 403 ? refuse(response, 403, 'Forbidden', `${url} is forbidden`) : object;
    });
    api = await apiFor(server.url);
  }

  const context = {
    node: nodeName('worker'),
    kubeletRoot: hostPath('/var/lib/kubelet'),
    capabilities: new Set(['STAGE_UNSTAGE_VOLUME'] as const),
    volData: seen({}),
  };
  const read = (volume: UsedVolume = use, signal = live) => readReplayInput(api, volume, context, signal);
  const asked = () => server.requests.map(({ url }) => url).sort();

  it('are read once each, and nothing besides', async () => {
    await serve();
    fixture.requested(replayOf(await read()));
    assert.deepEqual(asked(), [paths.claim, paths.driver, paths.node, paths.pod, paths.volume].sort());
  });

  it('have their secret, decoded and hidden', async () => {
    await serve({ [paths.volume]: fixture.persistentVolume({}, { nodePublishSecretRef: secretReference }) });
    const input = await read();
    const { secrets } = fixture.published(replayOf(input));
    assert.deepEqual(
      Object.entries(secrets).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : value.reveal(),
      ]),
      [
        ['key', 'värde'],
        ['empty', ''],
      ],
    );
    assert(!JSON.stringify(input).includes('värde'));
  });

  it('have a token for each audience, bound to the pod', async () => {
    const tokenRequests = [{ audience: '' }, { audience: 'vault', expirationSeconds: 7200 }];
    await serve({ [paths.driver]: fixture.csiDriver({ tokenRequests }) });
    const input = await read();
    assert(input.tokens?.seen);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'app', uid: 'pod-uid' };
    const sent = server.requests
      .filter(({ url }) => url === paths.token)
      .map(({ body }) => JSON.parse(body).spec);
    sent.sort((one, other) => one.audiences.length - other.audiences.length);
    assert.deepEqual(sent, [
      { audiences: [], boundObjectRef },
      { audiences: ['vault'], expirationSeconds: 7200, boundObjectRef },
    ]);
  });

  it('may lack the CSIDriver: kubelet then attaches', async () => {
    await serve({ [paths.driver]: 404 });
    const replay = replayOf(await read());
    assert(replay.kind === 'refused');
    assert.equal(replay.field, 'publish_context');
    assert.match(replay.why, /volumeattachments\/csi-[0-9a-f]{64} not found/);
  });

  /** Each: what may not be read, the volume that needs it, and the right that the refusal names. */
  const withSecret = {
    [paths.volume]: fixture.persistentVolume({}, { nodeStageSecretRef: secretReference }),
  };
  const withToken = { [paths.driver]: fixture.csiDriver({ tokenRequests: [{ audience: 'a' }] }) };
  for (const [path, changes, right] of [
    [paths.node, {}, 'get nodes'],
    [paths.pod, {}, 'get pods'],
    [paths.claim, {}, 'get persistentvolumeclaims'],
    [paths.volume, {}, 'get persistentvolumes'],
    [paths.driver, {}, 'get csidrivers.storage.k8s.io'],
    [paths.secret, withSecret, 'get secrets'],
    [paths.token, withToken, 'create serviceaccounts/token'],
  ] as const) {
    it(`name the missing right to ${right}`, async () => {
      await serve({ ...changes, [path]: 403 });
      const replay = replayOf(await read());
      assert(replay.kind === 'refused');
      assert.match(replay.why, new RegExp(`^no right to ${right}$`));
    });
  }

  it('name the missing right to read the attachment', async () => {
    await serve({ [paths.driver]: fixture.csiDriver({ attachRequired: true }) });
    await read();
    const attachment = server.requests.find(({ url }) => url.includes('volumeattachments'))?.url ?? '';
    await server.close();
    await serve({ [paths.driver]: fixture.csiDriver({ attachRequired: true }), [attachment]: 403 });
    const replay = replayOf(await read());
    assert(replay.kind === 'refused');
    assert.match(replay.why, /^no right to get volumeattachments\.storage\.k8s\.io$/);
  });

  it('are not waited for after an abort', async () => {
    await serve();
    const reason = new Error('interrupted');
    await assert.rejects(read(use, AbortSignal.abort(reason)), reason);
  });
});
