import type { Cluster, ClusterNode } from '../../../cluster/index.ts';
import { onNode } from '../../mounts/support/faults.ts';
import { namespace } from './objects.ts';

/** Milliseconds: longer than the FUSE daemon's attributes are cached; until then a look at a dead mount may succeed. */
export const attributeCacheMs = 2_000;

const field = async (cluster: Cluster, pod: string, path: string) =>
  (await cluster.kubectl(['get', 'pod', '-n', namespace, pod, `-o=jsonpath=${path}`])).stdout;

export const phaseOf = (cluster: Cluster, pod: string) => field(cluster, pod, '{.status.phase}');

/** Whether the API server still has the pod. */
export const exists = async (cluster: Cluster, pod: string) =>
  (await cluster.kubectl(['get', 'pod', '-n', namespace, pod])).code === 0;

export const waitingReason = (cluster: Cluster, pod: string) =>
  field(cluster, pod, '{.status.containerStatuses[0].state.waiting.reason}');

/** Kubelet's folder of the pod's volume, which has the pod's name. */
export async function folderOf(cluster: Cluster, node: ClusterNode, pod: string): Promise<string> {
  const uid = await field(cluster, pod, '{.metadata.uid}');
  return `${node.kubeletRoot}/pods/${uid}/volumes/kubernetes.io~csi/${pod}`;
}

/** Ends all processes of the pod's container. */
export async function killContainer(cluster: Cluster, node: ClusterNode, pod: string): Promise<void> {
  const id = await field(cluster, pod, '{.status.containerStatuses[0].containerID}');
  for (const { pid } of node.containerProcesses(id.replace(/^.*:\/\//, ''))) process.kill(pid, 'SIGKILL');
}

/** Sends a signal to the FUSE daemon of a volume. */
export async function signalDaemon(node: ClusterNode, volume: string, signal: string): Promise<void> {
  const line = 'kill -s "$1" $(pgrep -ax csi-fuse | grep "/$0 " | cut -d" " -f1)';
  await onNode(node, line, volume, signal);
}

/** Starts a process on the node that keeps a directory busy. @returns what ends it */
export async function holdBusy(node: ClusterNode, folder: string): Promise<() => Promise<void>> {
  const pid = await onNode(
    node,
    'cd "$0" && { setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $!; }',
    folder,
  );
  return async () => void (await onNode(node, 'kill "$0"', pid.trim()));
}

/** Switches a fault of the driver on until the returned function is called. */
export async function switchOn(node: ClusterNode, pluginFolder: string, fault: string, text = '') {
  const file = `${pluginFolder}/control/${fault}`;
  await onNode(node, 'mkdir -p "$(dirname "$0")" && printf %s "$1" >"$0"', file, text);
  return async () => void (await onNode(node, 'rm "$0"', file));
}
