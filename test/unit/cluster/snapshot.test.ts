import assert from 'node:assert/strict';
import { readSnapshot } from '../../../src/cluster/snapshot/snapshot.ts';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import { apiFor } from './support/kubeconfig.ts';
import * as objects from './support/objects.ts';
import { refuse, type Seen, startServer, type TestServer } from './support/server.ts';

const { claim, csiDriver, csiNode, daemonSet, node, persistentVolume, pluginTemplate, pod } = objects;
const driver = 's3.csi.example.com';
const template = pluginTemplate(driver);
const registry = '/var/lib/kubelet/plugins_registry';

const metrics = `plugin_manager_total_plugins{socket_path="${registry}/a-reg.sock",state="actual_state_of_world"} 1
volume_manager_total_volumes{plugin_name="kubernetes.io/csi:${driver}",state="actual_state_of_world"} 2
`;
const config = {
  kubeletconfig: { volumePluginDir: '/x', staticPodURLHeader: { Authorization: ['secret'] } },
};

const cluster = {
  '/version': { gitVersion: 'v1.34.4' },
  '/api/v1/nodes': [
    node('n1', { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }),
    node('win', { os: 'windows' }),
    node('fargate-ip-10-0-0-1'),
    node('aci', { metadata: { labels: { type: 'virtual-kubelet' } } }),
    node('fake', { metadata: { annotations: { 'kwok.x-k8s.io/node': 'fake' } } }),
  ],
  '/apis/storage.k8s.io/v1/csinodes': [
    csiNode('n1', [
      { name: driver, nodeID: 'id-1', topologyKeys: null, allocatable: { count: 24 } },
      { name: 'b', nodeID: 'x' },
    ]),
    csiNode('win', null),
  ],
  '/apis/storage.k8s.io/v1/csidrivers': [
    csiDriver(driver, { requiresRepublish: true, attachRequired: false }),
  ],
  '/apis/apps/v1/daemonsets': [
    daemonSet('csi-s3', {
      ...template,
      spec: {
        ...template.spec,
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ operator: 'Exists' }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [{ key: 'a', operator: 'Exists' }],
                  matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }],
                },
              ],
            },
          },
        },
      },
    }),
    daemonSet('kube-proxy', { spec: { containers: [] } }),
  ],
  '/api/v1/pods': [
    pod('csi-s3-abc', {
      metadata: {
        namespace: 'kube-system',
        deletionTimestamp: '2026-01-02T03:04:05Z',
        ownerReferences: [{ kind: 'DaemonSet', name: 'csi-s3', controller: true, uid: 'u' }],
      },
      spec: template.spec,
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'registrar',
            image: 'r',
            imageID: 'sha256:1',
            containerID: 'containerd://c1',
            ready: true,
            restartCount: 0,
            state: { running: {} },
            lastState: {},
          },
          {
            name: 'driver',
            image: 'd',
            imageID: '',
            ready: false,
            restartCount: 7,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
          },
        ],
      },
    }),
    pod('app', {
      spec: {
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
          { name: 'in', csi: { driver: 'inline.example.com' } },
          { name: 'tmp', ephemeral: {} },
          { name: 'foreign', ephemeral: {} },
          { name: 'nfs', persistentVolumeClaim: { claimName: 'nfs' } },
          { name: 'pending', persistentVolumeClaim: { claimName: 'pending' } },
          { name: 'cfg', configMap: { name: 'c' } },
        ],
      },
    }),
  ],
  '/api/v1/persistentvolumeclaims': [
    claim('data', 'pv-1'),
    claim('nfs', 'pv-nfs'),
    claim('pending', undefined),
    claim('app-tmp', 'pv-2', { ownerReferences: [{ kind: 'Pod', name: 'app', uid: 'uid-app' }] }),
    claim('app-foreign', 'pv-2', { ownerReferences: [] }),
  ],
  '/api/v1/persistentvolumes': [
    persistentVolume('pv-1', { csi: { driver, volumeHandle: 'h1' } }),
    persistentVolume('pv-2', { csi: { driver, volumeHandle: 'h2' } }),
    persistentVolume('pv-nfs', { nfs: { server: 's', path: '/' } }),
  ],
} as const;

describe('snapshot', () => {
  let server: TestServer;
  let forbidden: string[];
  let silentKubelet: boolean;

  let asked: string[];

  function answer({ url }: Seen, response: Parameters<typeof refuse>[0]): unknown {
    asked.push(url);
    const path = new URL(url, 'http://x').pathname;
    if (forbidden.includes(path)) return refuse(response, 403, 'Forbidden', `User "jane" may not: ${path}`);
    if (path.endsWith('/proxy/metrics')) return silentKubelet ? undefined : metrics;
    if (path.endsWith('/proxy/configz')) return silentKubelet ? undefined : config;
    const known = cluster[path as keyof typeof cluster];
    if (Array.isArray(known)) return { items: known, metadata: {} };
    const name = /^\/api\/v1\/nodes\/([^/]+)$/.exec(path)?.[1];
    const one = cluster['/api/v1/nodes'].find((item) => item.metadata.name === name);
    return known ?? one ?? refuse(response, 404, 'NotFound', `nodes "${name}" not found`);
  }

  beforeEach(async () => {
    forbidden = [];
    asked = [];
    silentKubelet = false;
    server = await startServer(answer);
  });
  afterEach(() => server.close());

  const read = async (options: object = {}): Promise<Snapshot> =>
    readSnapshot(await apiFor(server.url), {
      kubelet: true,
      signal: AbortSignal.timeout(10_000),
      ...options,
    });

  const nodeOf = (snapshot: Snapshot, name: string) =>
    snapshot.nodes.find((one) => one.name === name) ?? assert.fail(`no node ${name}`);

  it("reads only one node's pods where no others are wanted", async () => {
    await read({ podsOf: 'n1' });
    const pods = asked.filter((url) => url.startsWith('/api/v1/pods'));
    assert.equal(new URL(pods[0] ?? '', 'http://x').searchParams.get('fieldSelector'), 'spec.nodeName=n1');
    assert.equal(pods.length, 1);
  });

  it('holds the facts of a node, its CSINode and its kubelet', async () => {
    const snapshot = await read();
    assert.equal(snapshot.serverVersion, 'v1.34.4');
    assert.deepEqual(nodeOf(snapshot, 'n1'), {
      name: 'n1',
      uid: 'uid-n1',
      ready: true,
      os: 'linux',
      arch: 'amd64',
      kubeletVersion: 'v1.34.4',
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      kernelVersion: '6.18.0',
      containerRuntime: 'containerd://1.6.20',
      labels: { 'kubernetes.io/os': 'linux' },
      taints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }],
      unschedulable: false,
      csiNode: {
        seen: true,
        value: [
          { driver, nodeId: 'id-1', allocatable: 24 },
          { driver: 'b', nodeId: 'x' },
        ],
      },
      kubeletPlugins: { seen: true, value: { actual: [`${registry}/a-reg.sock`], desired: [] } },
      kubeletVolumes: { seen: true, value: { [driver]: 2 } },
      kubeletConfig: { seen: true, value: { volumePluginDir: '/x' } },
    });
  });

  it('says why no pod can run on Windows, Fargate, virtual and simulated nodes', async () => {
    const { nodes } = await read();
    const reasons = nodes.map(({ unreachable }) => unreachable);
    assert.equal(reasons[0], undefined);
    const words = [/Windows/, /Fargate/, /virtual-kubelet/, /kwok/];
    for (const [index, word] of words.entries()) assert.match(reasons[index + 1] ?? '', word);
    const asked = server.requests
      .filter(({ url }) => url.endsWith('/metrics'))
      .map(({ url }) => url.split('/')[4]);
    assert.deepEqual(asked.sort(), ['n1', 'win']);
  });

  it('takes a CSINode without drivers, and a node without CSINode, for no driver', async () => {
    const snapshot = await read();
    assert.deepEqual(nodeOf(snapshot, 'win').csiNode, { seen: true, value: [] });
    assert.deepEqual(nodeOf(snapshot, 'aci').csiNode, { seen: true, value: [] });
  });

  it('holds drivers with their defaults, DaemonSets and node plugin pods', async () => {
    const { csiDrivers, daemonSets, pluginPods } = await read();
    assert(csiDrivers.seen && daemonSets.seen && pluginPods.seen);
    assert.deepEqual(csiDrivers.value, [
      {
        name: driver,
        attachRequired: false,
        podInfoOnMount: false,
        requiresRepublish: true,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        seLinuxMount: false,
        createdAt: '2026-01-02T03:04:05Z',
      },
    ]);
    const [set, ...others] = daemonSets.value;
    assert.equal(others.length, 0);
    assert.deepEqual(set?.key, { namespace: 'kube-system', name: 'csi-s3' });
    assert.deepEqual(set?.tolerations, [{ key: '', operator: 'Exists', value: '', effect: '' }]);
    assert.deepEqual(set?.affinity, [
      {
        labels: [{ key: 'a', operator: 'Exists', values: [] }],
        fields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }],
      },
    ]);
    const [plugin] = pluginPods.value;
    const { owner, deleting, imagePullSecrets, containers, nameHints } =
      plugin ?? assert.fail('no plugin pod');
    assert.deepEqual(
      [owner, deleting, imagePullSecrets, nameHints[0]],
      ['DaemonSet/csi-s3', true, ['pull'], driver],
    );
    assert.deepEqual(
      containers.map(({ name, state, containerId, restarts, lastEnd }) => [
        name,
        state,
        containerId,
        restarts,
        lastEnd,
      ]),
      [
        ['registrar', 'running', 'c1', 0, undefined],
        ['driver', 'CrashLoopBackOff', '', 7, 'OOMKilled (137)'],
      ],
    );
  });

  it('joins pods, claims and volumes, and leaves out what no CSI driver serves', async () => {
    const { volumeUses } = await read();
    assert(volumeUses.seen);
    assert.deepEqual(
      volumeUses.value.map(({ volume, kind, driver, claim, persistentVolume, volumeHandle }) => [
        volume,
        kind,
        driver,
        claim?.name,
        persistentVolume,
        volumeHandle,
      ]),
      [
        ['data', 'persistent', driver, 'data', 'pv-1', 'h1'],
        ['in', 'inline', 'inline.example.com', undefined, undefined, undefined],
        ['tmp', 'ephemeral', driver, 'app-tmp', 'pv-2', 'h2'],
      ],
    );
  });

  it('asks no kubelet where that is not wanted', async () => {
    const snapshot = await read({ kubelet: false });
    assert.deepEqual(nodeOf(snapshot, 'n1').kubeletPlugins, { seen: false, why: 'kubelet was not asked' });
    assert(!server.requests.some(({ url }) => url.includes('/proxy/')));
  });

  it('goes on without what may not be read, and names the right', async () => {
    forbidden = [
      '/apis/storage.k8s.io/v1/csinodes',
      '/api/v1/persistentvolumes',
      '/api/v1/nodes/n1/proxy/metrics',
    ];
    const snapshot = await read();
    const { csiNode, kubeletPlugins, kubeletConfig } = nodeOf(snapshot, 'n1');
    assert(!csiNode.seen && !kubeletPlugins.seen && kubeletConfig.seen && !snapshot.volumeUses.seen);
    assert.match(csiNode.why, /^no right to list csinodes\.storage\.k8s\.io$/);
    assert.match(kubeletPlugins.why, /^no right to get nodes\/proxy$/);
    assert.match(snapshot.volumeUses.why, /^no right to list persistentvolumes$/);
    assert(snapshot.pluginPods.seen);
  });

  it('fails where the nodes cannot be read, and where one is not there', async () => {
    await assert.rejects(read({ nodes: ['n1', 'n9'] }), { status: 404, message: 'nodes "n9" not found' });
    forbidden = ['/api/v1/nodes'];
    await assert.rejects(read(), { status: 403, verb: 'list', resource: 'nodes' });
  });

  it('keeps to the nodes named, or chosen by a selector', async () => {
    const named = await read({ nodes: ['n1', 'win'] });
    assert.deepEqual(
      named.nodes.map(({ name }) => name),
      ['n1', 'win'],
    );
    await read({ selector: 'disk=ssd' });
    assert(
      server.requests.some(
        ({ url }) => url.startsWith('/api/v1/nodes?') && url.includes('labelSelector=disk%3Dssd'),
      ),
    );
  });

  it('does not wait long for a kubelet that is silent', async () => {
    silentKubelet = true;
    const before = performance.now();
    const { kubeletPlugins } = nodeOf(await read({ kubeletTimeoutMs: 200 }), 'n1');
    assert(!kubeletPlugins.seen);
    assert.match(kubeletPlugins.why, /^kubelet gave no answer in 0\.2 s$/);
    assert(performance.now() - before < 2_000);
  });

  it('throws when the signal aborts', async () => {
    silentKubelet = true;
    await assert.rejects(
      read({ signal: AbortSignal.abort(new Error('interrupted')) }),
      /^Error: interrupted$/,
    );
  });
});
