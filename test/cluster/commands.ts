import { type Cluster, findClaim } from './cluster.ts';
import { isAlive } from './host/processes.ts';
import { teardown } from './host/teardown.ts';
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
  cluster.leaveRunning();
  log('ready; to use it: eval "$(npm run -s cluster -- env)"');
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
