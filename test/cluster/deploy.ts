import type { Cluster } from './cluster.ts';
import { type AppSpec, appObjects } from './manifests/app.ts';
import {
  type CompleteDriver,
  type DriverSpec,
  driverObjects,
  pluginFolder,
  registrySocket,
} from './manifests/driver.ts';
import type { ClusterNode } from './node/node.ts';
import { waitUntil } from './wait.ts';

export interface DeployedDriver {
  readonly spec: CompleteDriver;
  /** The driver's plugin folder on its nodes, which holds csi.sock, `control/` and `record/`. */
  readonly pluginFolder: string;
  /** The registration socket on its nodes. */
  readonly registrySocket: string;
  /** The name of the node plugin's pod on a node; nothing when there is none. */
  podOn(node: ClusterNode): Promise<string | undefined>;
  /** Whether CSINode lists the driver. */
  isRegistered(node: ClusterNode): Promise<boolean>;
  waitRegistered(nodes?: readonly ClusterNode[]): Promise<void>;
  remove(): Promise<void>;
}

/** Deploys a driver; returns before it runs (see `waitRegistered`). */
export async function deployDriver(cluster: Cluster, spec: DriverSpec): Promise<DeployedDriver> {
  const complete = completeDriver(cluster, spec);
  await cluster.apply(driverObjects(complete));
  return openDriver(cluster, complete);
}

/** The driver that `deployDriver` deploys for this specification, deployed before. */
export function openDriver(cluster: Cluster, spec: DriverSpec): DeployedDriver {
  const driver = completeDriver(cluster, spec);
  const isRegistered = async (node: ClusterNode) => (await driversOf(cluster, node)).includes(driver.name);
  return {
    spec: driver,
    pluginFolder: pluginFolder(driver),
    registrySocket: registrySocket(driver),
    podOn: (node) => podOn(cluster, driver, node),
    isRegistered,
    waitRegistered: async (nodes = cluster.nodes) => {
      await Promise.all(
        nodes.map((node) =>
          waitUntil(`${driver.name} to be registered on ${node.name}`, () => isRegistered(node), {
            timeoutMs: 90_000,
            describe: async () => `CSINode lists ${JSON.stringify(await driversOf(cluster, node))}`,
          }),
        ),
      );
    },
    remove: async () => {
      await removeObjects(cluster, driverObjects(driver));
      await waitPluginGone(cluster, driver);
    },
  };
}

/** A DaemonSet is gone before its pods are, and a driver that is ending is a finding of its own. */
async function waitPluginGone(cluster: Cluster, { namespace, daemonSet }: CompleteDriver): Promise<void> {
  const pods = ['-n', namespace, 'pod', '-l', `app=${daemonSet}`];
  await cluster.kubectl(['wait', '--for=delete', ...pods, '--timeout=60s']);
}

function completeDriver(cluster: Cluster, spec: DriverSpec): CompleteDriver {
  return {
    namespace: 'csi',
    mode: 'bind',
    kubeletRoot: cluster.nodes[0]?.kubeletRoot ?? '/var/lib/kubelet',
    daemonSet: spec.name.replaceAll('.', '-'),
    s3: { endpoint: cluster.s3.endpoint, bucket: cluster.s3.bucket },
    ...spec,
  };
}

/** The drivers that a node's CSINode lists. */
export async function driversOf(cluster: Cluster, node: ClusterNode): Promise<string[]> {
  const columns = '-o=jsonpath={.spec.drivers[*].name}';
  const { stdout } = await cluster.kubectl(['get', 'csinode', node.name, columns]);
  return stdout.split(' ').filter(Boolean);
}

async function podOn(
  cluster: Cluster,
  driver: CompleteDriver,
  node: ClusterNode,
): Promise<string | undefined> {
  const { stdout } = await cluster.kubectl([
    'get',
    'pods',
    '-n',
    driver.namespace,
    '-l',
    `app=${driver.daemonSet}`,
    `--field-selector=spec.nodeName=${node.name}`,
    '-o=jsonpath={range .items[*]}{.metadata.name} {.metadata.deletionTimestamp},{end}',
  ]);
  const pods = stdout.split(',').map((line) => line.split(' '));
  // One that ends may stand beside the next.
  const [name] = pods.find(([each, deleting]) => each && !deleting) ?? pods[0] ?? [];
  return name || undefined;
}

export interface DeployedApp {
  readonly spec: AppSpec;
  waitReady(): Promise<void>;
  /** The last line of the app's log. */
  lastLine(): Promise<string>;
  /** Runs a command in the app's container. */
  exec(command: readonly string[]): ReturnType<Cluster['kubectl']>;
  remove(): Promise<void>;
}

/** Deploys an app; returns before it runs (see `waitReady`). */
export async function deployApp(cluster: Cluster, spec: AppSpec): Promise<DeployedApp> {
  const namespace = ['-n', spec.namespace ?? 'default'];
  await cluster.apply(appObjects(spec));
  return {
    spec,
    waitReady: () => waitPodReady(cluster, spec.namespace ?? 'default', spec.name),
    lastLine: async () =>
      (await cluster.kubectl(['logs', ...namespace, spec.name, '--tail=1'])).stdout.trim(),
    exec: (command) => cluster.kubectl(['exec', ...namespace, spec.name, '--', ...command]),
    remove: () => removeObjects(cluster, appObjects(spec).reverse()),
  };
}

export function waitPodReady(cluster: Cluster, namespace: string, name: string): Promise<void> {
  const get = async (path: string) =>
    (await cluster.kubectl(['get', 'pod', '-n', namespace, name, `-o=jsonpath=${path}`])).stdout;
  return waitUntil(
    `pod ${name} to be ready`,
    async () => (await get('{.status.conditions[?(@.type=="Ready")].status}')) === 'True',
    { timeoutMs: 90_000, intervalMs: 500, describe: () => lastEvent(cluster, namespace, name) },
  );
}

async function lastEvent(cluster: Cluster, namespace: string, pod: string): Promise<string> {
  const selector = `--field-selector=involvedObject.name=${pod}`;
  const last = '-o=jsonpath={.items[-1:].message}';
  const { stdout } = await cluster.kubectl([
    'get',
    'events',
    '-n',
    namespace,
    selector,
    '--sort-by=.lastTimestamp',
    last,
  ]);
  return stdout || 'no event of the pod';
}

/** Deletes objects and waits until they are gone. Namespaces stay, since other drivers may be in them. */
export async function removeObjects(cluster: Cluster, objects: readonly object[]): Promise<void> {
  const items = objects.filter((object) => (object as { kind: string }).kind !== 'Namespace');
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stderr } = await cluster.kubectl(
    ['delete', '--ignore-not-found', '--timeout=60s', '-f', '-'],
    list,
  );
  if (code !== 0) throw new Error(`cannot delete: ${stderr}`);
}
