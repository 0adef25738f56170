import assert from 'node:assert/strict';
import { type Cluster, type ClusterNode, type DeployedDriver, waitUntil } from '../../../cluster/index.ts';

const selector = ['-l', 'app.kubernetes.io/managed-by=kubectl-csi'];

interface List {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  }[];
}

/** `KIND NAMESPACE/NAME` of all that the plugin made and that is still there. */
export async function ownObjects(cluster: Cluster): Promise<string[]> {
  const kinds = 'pods,configmaps,leases.coordination.k8s.io';
  const { items } = await cluster.kubectlJson<List>(['get', kinds, '-A', ...selector]);
  return items.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`).sort();
}

/** A pod that was deleted takes kubelet a moment; what nobody deleted stays longer. */
export async function assertNothingLeft(cluster: Cluster): Promise<void> {
  await waitUntil('nothing of kubectl csi to be left', async () => (await ownObjects(cluster)).length === 0, {
    timeoutMs: 5_000,
    describe: async () => (await ownObjects(cluster)).join(', '),
  });
}

/** Sockets that kubelet holds, by its own metrics. */
export async function heldSockets(cluster: Cluster, node: ClusterNode): Promise<string[]> {
  const { stdout, stderr, code } = await cluster.kubectl([
    'get',
    '--raw',
    `/api/v1/nodes/${node.name}/proxy/metrics`,
  ]);
  assert.equal(code, 0, `kubelet's metrics: ${stderr}`);
  const samples = stdout.matchAll(
    /^plugin_manager_total_plugins\{socket_path="([^"]*)",state="actual_state_of_world"\} 1/gm,
  );
  return [...samples].map(([, path = '']) => path).sort();
}

/** kubelet and CSINode both have the driver; a kubelet that has just started may take a moment. */
export async function assertRegistered(
  cluster: Cluster,
  node: ClusterNode,
  driver: DeployedDriver,
): Promise<void> {
  const isHeld = async () => (await heldSockets(cluster, node)).includes(driver.registrySocket);
  await waitUntil(`kubelet on ${node.name} to hold ${driver.spec.name}`, isHeld, { timeoutMs: 30_000 });
  assert.ok(await driver.isRegistered(node), `CSINode ${node.name} lists ${driver.spec.name}`);
}

interface Event {
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly source?: { readonly component?: string };
  readonly metadata: { readonly uid: string };
}

/** The plugin's events on a node, the oldest first. */
export async function nodeEvents(cluster: Cluster, node: ClusterNode): Promise<readonly Event[]> {
  const about = `--field-selector=involvedObject.kind=Node,involvedObject.name=${node.name}`;
  const sorted = ['--sort-by=.metadata.creationTimestamp'];
  const { items } = await cluster.kubectlJson<{ items: Event[] }>([
    'get',
    'events',
    '-n',
    'default',
    about,
    ...sorted,
  ]);
  return items.filter(({ source }) => source?.component === 'kubectl-csi');
}

/** Fails later when one of these drivers was unregistered, or registered anew, on a node meanwhile. */
export async function watchRegistrations(cluster: Cluster, drivers: readonly DeployedDriver[]) {
  const names = drivers.map(({ spec }) => spec.name);
  const entries = async () => {
    const nodes = await cluster.kubectlJson<{ items: CsiNode[] }>(['get', 'csinodes']);
    return nodes.items.map(({ metadata, spec }) => ({
      node: metadata.name,
      drivers: (spec.drivers ?? []).filter(({ name }) => names.includes(name)),
    }));
  };
  const before = await entries();
  const logs = await Promise.all(
    cluster.nodes.map(async (node) => ({ node, end: (await node.kubeletLog()).end })),
  );
  return async (): Promise<void> => {
    for (const { node, end } of logs) assertNoFlap(node.name, (await node.kubeletLog(end)).text, names);
    assert.deepEqual(await entries(), before);
  };
}

interface CsiNode {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly drivers?: readonly { readonly name: string }[] | null };
}

/** pkg/volume/csi/csi_plugin.go: `Register new plugin with name: …`, `DeregisterPlugin request for plugin …`. */
function assertNoFlap(node: string, log: string, names: readonly string[]): void {
  const flaps = log
    .split('\n')
    .filter((line) => /de-?register|unregister|Register new plugin/i.test(line))
    .filter((line) => names.some((name) => line.includes(name)));
  assert.deepEqual(flaps, [], `kubelet on ${node} registered or unregistered a healthy driver`);
}
