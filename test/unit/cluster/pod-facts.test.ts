import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readPodFacts } from '../../../src/cluster/pod/facts.ts';
import { seen } from '../../../src/model/observed.ts';
import { apiFor } from './support/kubeconfig.ts';
import * as objects from './support/objects.ts';
import { refuse, type Seen, startServer, type TestServer } from './support/server.ts';

const { claim, node, persistentVolume, pod } = objects;
const driver = 's3.csi.example.com';
const core = '/api/v1';
const apps = `${core}/namespaces/apps`;
const storage = '/apis/storage.k8s.io/v1';

const attachment = (name: string, nodeName: string, volume: string, more: object = {}) => ({
  metadata: { name, creationTimestamp: '2026-01-02T03:04:05Z' },
  spec: { attacher: driver, nodeName, source: { persistentVolumeName: volume } },
  ...more,
});

const lists: Readonly<Record<string, readonly object[]>> = {
  [`${storage}/volumeattachments`]: [
    attachment('csi-1', 'n1', 'pv-1', {
      metadata: { name: 'csi-1', finalizers: ['external-attacher/s3-csi-example-com'] },
      status: { attached: false, attachError: { message: 'no such disk' } },
    }),
    attachment('csi-2', 'n2', 'pv-1', { status: { attached: true } }),
    attachment('csi-3', 'n3', 'foreign', { status: { attached: true } }),
  ],
  [`${apps}/events`]: [
    {
      reason: 'FailedScheduling',
      message: 'later',
      type: 'Warning',
      eventTime: '2026-01-02T03:04:09.123456Z',
      series: null,
    },
    {
      reason: 'FailedMount',
      message: 'sooner',
      type: 'Warning',
      count: 4,
      lastTimestamp: '2026-01-02T03:04:06Z',
    },
  ],
  [`${apps}/pods`]: [
    pod('old', {
      metadata: {
        deletionTimestamp: '2026-01-02T03:04:05Z',
        ownerReferences: [{ kind: 'StatefulSet', name: 'old', controller: true }],
      },
      spec: { nodeName: 'n2', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] },
    }),
    pod('done', {
      spec: { nodeName: 'n2', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { phase: 'Succeeded' },
    }),
    pod('stranger', { spec: { nodeName: 'n2', volumes: [] } }),
  ],
};

const single: Readonly<Record<string, object>> = {
  [`${apps}/pods/web`]: pod('web', {
    metadata: { creationTimestamp: '2026-01-02T03:00:00Z', finalizers: ['hold'] },
    spec: {
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'in', csi: { driver } },
        { name: 'tmp', ephemeral: {} },
        { name: 'nfs', persistentVolumeClaim: { claimName: 'nfs' } },
        { name: 'lost', persistentVolumeClaim: { claimName: 'lost' } },
        { name: 'cfg', configMap: { name: 'c' } },
      ],
    },
    status: {
      phase: 'Pending',
      containerStatuses: [
        { name: 'app', state: { waiting: { reason: 'ContainerCreating' } }, containerID: 'containerd://c1' },
      ],
    },
  }),
  [`${apps}/persistentvolumeclaims/data`]: {
    ...claim('data', 'pv-1'),
    spec: { volumeName: 'pv-1', storageClassName: 'fast', accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Bound' },
  },
  [`${apps}/persistentvolumeclaims/web-tmp`]: {
    ...claim('web-tmp', undefined, { ownerReferences: [{ uid: 'uid-web' }] }),
    spec: { storageClassName: 'fast' },
  },
  [`${apps}/persistentvolumeclaims/nfs`]: { ...claim('nfs', 'pv-nfs'), status: { phase: 'Bound' } },
  [`${apps}/persistentvolumeclaims/lost`]: { ...claim('lost', 'gone'), status: { phase: 'Lost' } },
  [`${core}/persistentvolumes/pv-1`]: persistentVolume('pv-1', {
    csi: { driver, volumeHandle: 'h-1' },
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    claimRef: { namespace: 'apps', name: 'data', uid: 'uid-data' },
  }),
  [`${core}/persistentvolumes/pv-nfs`]: persistentVolume('pv-nfs', {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteMany'],
    nfs: { server: 's', path: '/' },
  }),
  [`${storage}/storageclasses/fast`]: {
    metadata: { name: 'fast' },
    provisioner: driver,
    volumeBindingMode: 'WaitForFirstConsumer',
  },
  [`${core}/nodes/n1`]: node('n1'),
};

describe('the facts of one pod', () => {
  let server: TestServer;
  let forbidden: readonly string[];

  function answer({ url }: Seen, response: Parameters<typeof refuse>[0]): unknown {
    const path = new URL(url, 'http://x').pathname;
    if (forbidden.some((each) => path.endsWith(each)))
      return refuse(response, 403, 'Forbidden', `may not: ${path}`);
    const items = lists[path];
    if (items) return { items, metadata: {} };
    return single[path] ?? refuse(response, 404, 'NotFound', `${path} not found`);
  }

  beforeEach(async () => {
    forbidden = [];
    server = await startServer(answer);
  });
  afterEach(() => server.close());

  const read = async (name = 'web') =>
    readPodFacts(await apiFor(server.url), { namespace: 'apps', name }, AbortSignal.timeout(10_000));
  const facts = async () => (await read()) ?? assert.fail('no pod');
  const volumeOf = async (name: string) =>
    (await facts()).volumes.find((each) => each.name === name) ?? assert.fail(`no volume ${name}`);

  it('are none where there is no such pod', async () => {
    assert.equal(await read('nobody'), undefined);
  });

  it('hold its state, its containers and what keeps it', async () => {
    const { phase, finalizers, containers, nodes } = await facts();
    assert.deepEqual([phase, finalizers], ['Pending', ['hold']]);
    assert.deepEqual(containers, [
      { name: 'app', state: 'waiting', reason: 'ContainerCreating', message: '', containerId: 'c1' },
    ]);
    assert.deepEqual(
      nodes.map(({ name, object }) => [name, object.seen && object.value?.ready]),
      [
        ['n1', true],
        ['n2', undefined],
      ],
    );
  });

  it('hold the volumes that are or may be of a CSI driver, and no other', async () => {
    const names = (await facts()).volumes.map(({ name, kind, driver: of }) => [name, kind, of]);
    assert.deepEqual(names, [
      ['data', 'persistent', driver],
      ['in', 'inline', driver],
      ['tmp', 'ephemeral', undefined],
      ['nfs', 'persistent', undefined],
      ['lost', 'persistent', undefined],
    ]);
  });

  it('hold the claim, the volume and, while it is not bound, the class', async () => {
    const data = await volumeOf('data');
    assert.equal(data.claim?.seen && data.claim.value?.phase, 'Bound');
    assert.equal(data.handle, 'h-1');
    assert.equal(data.storageClass, undefined);
    const tmp = await volumeOf('tmp');
    assert.deepEqual(tmp.claim?.seen && tmp.claim.value?.owners, ['uid-web']);
    assert.deepEqual(tmp.storageClass, seen({ name: 'fast', provisioner: driver, waitsForConsumer: true }));
  });

  it('name the kind of a volume that is no CSI driver, and the one that is gone', async () => {
    const nfs = await volumeOf('nfs');
    assert.equal(nfs.persistentVolume?.seen && nfs.persistentVolume.value?.otherSource, 'nfs');
    assert.deepEqual((await volumeOf('lost')).persistentVolume, seen(undefined));
  });

  it('hold the attachments of its own volumes, and who uses them elsewhere', async () => {
    const { attachments } = await facts();
    const [own, other, ...rest] = attachments.seen ? attachments.value : [];
    assert.deepEqual([own?.name, own?.takenUp, own?.attachError], ['csi-1', true, 'no such disk']);
    assert.deepEqual(
      other?.users,
      seen([{ pod: { namespace: 'apps', name: 'old' }, deleting: true, owner: 'StatefulSet/old' }]),
    );
    assert.deepEqual(rest, []);
  });

  it('hold the events of both APIs, the oldest first', async () => {
    const { events } = await facts();
    const own = events.seen ? events.value.filter(({ claim: about }) => about === undefined) : [];
    assert.deepEqual(
      own.map(({ message, count, lastAt }) => [message, count, lastAt]),
      [
        ['sooner', 4, '2026-01-02T03:04:06Z'],
        ['later', 1, '2026-01-02T03:04:09.123456Z'],
      ],
    );
  });

  for (const [what, path, right] of [
    ['claims', '/data', 'get persistentvolumeclaims'],
    ['events', '/events', 'list events'],
    ['attachments', '/volumeattachments', 'list volumeattachments.storage.k8s.io'],
    ['nodes', '/nodes/n1', 'get nodes'],
  ] as const)
    it(`say which right is missing to read ${what}`, async () => {
      forbidden = [path];
      const text = JSON.stringify(await facts());
      assert.ok(text.includes(`no right to ${right}`), text);
    });
});
