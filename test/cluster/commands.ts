import { type Cluster, findClaim } from './cluster.ts';
import { deployApp, deployDriver, openDriver } from './deploy.ts';
import { isAlive } from './host/processes.ts';
import { teardown } from './host/teardown.ts';
import type { Scene } from './incidents/define.ts';
import { findIncident, incidents } from './incidents/index.ts';
import type { DriverSpec } from './manifests/driver.ts';
import type { ClusterNode } from './node/node.ts';
import { attachCluster, type ClusterOptions, defaultDir, type Log, startCluster } from './start.ts';

interface UpArguments {
  readonly nodes: number;
  readonly kubeVersion?: string | undefined;
  readonly kubeletRoot?: string | undefined;
}

/** Starts the cluster of the command line; one that runs already is left as it is. */
export async function up(args: UpArguments, log: Log, signal: AbortSignal): Promise<void> {
  if (await isUp(log)) return log('a cluster is running already; end it with: npm run cluster -- down');
  const { nodes, kubeVersion, kubeletRoot } = args;
  const options: ClusterOptions = {
    dir: defaultDir(),
    nodes,
    ...(kubeVersion && { kubeVersion }),
    ...(kubeletRoot && { kubeletRoot }),
  };
  const cluster = await startCluster(options, log, signal);
  try {
    await Promise.race([populate(cluster, log), interruption(signal)]);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  cluster.leaveRunning();
  log('ready; to use it: eval "$(npm run -s cluster -- env)"');
}

function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The driver of the command line's cluster: k8s-csi-s3's class, with a FUSE daemon in its container. */
const demoDriver: DriverSpec = { name: 's3.csi.test', mode: 'fuse-s3', driverArgs: ['--staging'] };

/** A driver, and on every node an app that writes to a volume of it. */
async function populate(cluster: Cluster, log: Log): Promise<void> {
  log(`deploying the CSI driver ${demoDriver.name} and an app per node`);
  const driver = await deployDriver(cluster, demoDriver);
  await driver.waitRegistered();
  const deploy = ({ name }: ClusterNode) =>
    deployApp(cluster, { name: `app-${name}`, driver: demoDriver.name, node: name });
  const apps = await Promise.all(cluster.nodes.map(deploy));
  await Promise.all(apps.map((app) => app.waitReady()));
}

interface IncidentArguments {
  readonly incident: string;
  readonly node?: string | undefined;
}

export async function breakCluster(args: IncidentArguments, log: Log): Promise<void> {
  const incident = findIncident(args.incident);
  const scene = await sceneOf(args);
  await incident.cause(scene);
  log(`${scene.node.name}: ${incident.title}`);
}

export async function mendCluster(args: IncidentArguments, log: Log): Promise<void> {
  const incident = findIncident(args.incident);
  const scene = await sceneOf(args);
  await incident.restore(scene);
  log(`${scene.node.name}: ${incident.id} is undone`);
}

async function sceneOf({ node }: IncidentArguments): Promise<Scene> {
  const cluster = await attachCluster();
  const driver = openDriver(cluster, demoDriver);
  return { cluster, driver, node: cluster.node(node ?? 'node-1') };
}

export function listIncidents(): void {
  for (const { id, title } of incidents) process.stdout.write(`${id.padEnd(24)}${title}\n`);
}

/** What is left of a cluster that did not survive (a reboot, say) is removed. */
async function isUp(log: Log): Promise<boolean> {
  const claim = findClaim(defaultDir());
  if (claim === undefined) return false;
  const alive = await attachCluster().then(
    ({ nodes }) => nodes.every((node) => isAlive(node.init)),
    () => false,
  );
  if (alive) return true;
  if (claim.owner && isAlive(claim.owner))
    throw new Error('another run is just starting the cluster: wait for it');
  log('removing what is left of an earlier cluster');
  await teardown(claim);
  return false;
}

export async function down(log: Log): Promise<void> {
  const claim = findClaim(defaultDir());
  if (claim === undefined) return log('no cluster is running');
  await teardown(claim);
  log('the cluster is gone');
}

export async function environment(): Promise<void> {
  const cluster: Cluster = await attachCluster();
  process.stdout.write(`export KUBECONFIG='${cluster.kubeconfig}'\nexport PATH='${cluster.bin}':"$PATH"\n`);
}
