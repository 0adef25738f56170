import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { secondPlugins } from '../../kubelet/handover.ts';
import { kubeletUid } from '../../kubelet/publish/volume.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { mapConcurrent } from '../../model/concurrent.ts';
import type { NodeName } from '../../model/ids.ts';
import { mapSeen, type Observed, seen } from '../../model/observed.ts';
import type { NodeSnapshot, Snapshot } from '../../model/snapshot.ts';
import type { Api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { readCsiDrivers } from './csi-drivers.ts';
import { readCsiNodes } from './csi-nodes.ts';
import { readPluginDaemonSets } from './daemon-sets.ts';
import { type KubeletWord, readKubelet, unseenKubelet } from './kubelet-endpoints.ts';
import { type NodeFacts, type NodeScope, readNodes } from './nodes.ts';
import { pluginPods } from './plugin-pods.ts';
import { volumeUses } from './volume-uses.ts';

export interface SnapshotOptions extends NodeScope {
  /** Ask kubelet's own endpoints through the node proxy too. */
  readonly kubelet: boolean;
  /** For each question to a kubelet; 3 s where absent. */
  readonly kubeletTimeoutMs?: number;
  /** Of the pods, only those on this node: a large cluster's others are most of what there is to read. */
  readonly podsOf?: NodeName | undefined;
  readonly signal: AbortSignal;
}

const kubeletsAtOnce = 20;

/**
 * Everything the API server says, read in parallel. What may not be read, or fails, is unseen with the reason.
 * @throws ApiError when the nodes themselves cannot be read, ConnectionError when nothing can.
 */
export async function readSnapshot(api: Api, options: SnapshotOptions): Promise<Snapshot> {
  const { signal } = options;
  const within = { signal };
  const [nodes, version, csiNodes, csiDrivers, daemonSets, pods] = await Promise.all([
    readNodes(api, options, within).then((facts) => withKubelets(api, facts, options)),
    attempt(api.get<{ gitVersion: string }>('/version', {}, within), signal),
    readCsiNodes(api, within),
    attempt(readCsiDrivers(api, within), signal),
    attempt(readPluginDaemonSets(api, within), signal),
    readPods(api, options),
  ]);
  return {
    takenAt: new Date().toISOString(),
    serverVersion: version.seen ? version.value.gitVersion : 'unknown',
    nodes: nodes.map((node): NodeSnapshot => ({ ...node, csiNode: csiNodes(node.name) })),
    csiDrivers,
    daemonSets,
    ...pods,
  };
}

function withKubelets(api: Api, nodes: readonly NodeFacts[], options: SnapshotOptions) {
  return mapConcurrent(nodes, kubeletsAtOnce, async (node) => ({
    ...node,
    ...(await kubeletWord(api, node, options)),
  }));
}

function kubeletWord(
  api: Api,
  node: NodeFacts,
  { kubelet, signal, kubeletTimeoutMs }: SnapshotOptions,
): Promise<KubeletWord> | KubeletWord {
  if (!kubelet) return unseenKubelet('kubelet was not asked');
  const virtual = node.unreachable && node.os !== 'windows';
  return virtual
    ? unseenKubelet(node.unreachable)
    : readKubelet(api, node.name, { signal, timeoutMs: kubeletTimeoutMs });
}

/** One list of pods serves both views of it. */
export async function readPods(
  api: Api,
  { podsOf, signal }: Pick<SnapshotOptions, 'podsOf' | 'signal'>,
): Promise<Pick<Snapshot, 'pluginPods' | 'secondPlugins' | 'volumeUses' | 'podUids'>> {
  const list = <T>(resource: string, query = {}) =>
    attempt(api.list<Wire<T>>(`/api/v1/${resource}`, query, { signal }), signal);
  const [pods, claims, volumes] = await Promise.all([
    list<V1Pod>('pods', podsOf && { fieldSelector: `spec.nodeName=${podsOf}` }),
    list<V1PersistentVolumeClaim>('persistentvolumeclaims'),
    list<V1PersistentVolume>('persistentvolumes'),
  ]);
  return {
    pluginPods: mapSeen(pods, pluginPods),
    secondPlugins: mapSeen(pods, secondPlugins),
    volumeUses: all(pods, claims, volumes, volumeUses),
    podUids: mapSeen(pods, (list) => list.map(kubeletUid)),
  };
}

function all<A, B, C, T>(
  a: Observed<A>,
  b: Observed<B>,
  c: Observed<C>,
  join: (a: A, b: B, c: C) => T,
): Observed<T> {
  if (!a.seen) return a;
  if (!b.seen) return b;
  if (!c.seen) return c;
  return seen(join(a.value, b.value, c.value));
}
