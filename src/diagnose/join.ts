import { obstacleOf } from '../kubelet/scheduling.ts';
import type { NodeEvidence, RegistryEntry } from '../model/evidence.ts';
import type { DriverName, HostPath, NodeName } from '../model/ids.ts';
import { mapSeen, type Observed, unseen, valueOr } from '../model/observed.ts';
import type {
  KubeletPlugins,
  NodeSnapshot,
  PluginDaemonSet,
  PluginPod,
  Snapshot,
} from '../model/snapshot.ts';
import { driverOfPlugin, driverOfSocket, knownDrivers } from './names.ts';
import { isServing } from './registration.ts';
import type { ClusterView, DriverView, NodeView } from './view.ts';
import { joinVolumes } from './volumes.ts';

export type EvidenceByNode = ReadonlyMap<NodeName, Observed<NodeEvidence>>;

/** Joins what the API server and the agents said. Nodes without evidence get the reason that nobody looked. */
export function joinView(snapshot: Snapshot, evidence: EvidenceByNode): ClusterView {
  const known = knownDrivers(snapshot);
  const nodes = snapshot.nodes.map((node) =>
    joinNode(snapshot, node, evidence.get(node.name) ?? unseen('no agent ran on this node'), known),
  );
  return { snapshot, nodes };
}

/** The driver that a registry entry belongs to: its own word, else its name's. */
export function driverOfEntry(entry: RegistryEntry): DriverName | undefined {
  const registration = entry.socket?.registration;
  if (registration?.seen) return registration.value.name;
  return entry.kind === 'socket' ? driverOfSocket(entry.name) : undefined;
}

function joinNode(
  snapshot: Snapshot,
  node: NodeSnapshot,
  evidence: Observed<NodeEvidence>,
  known: ReadonlySet<DriverName>,
): NodeView {
  const pluginPods = valueOr(snapshot.pluginPods, []).filter((pod) => pod.node === node.name);
  const entries = evidence.seen ? valueOr(evidence.value.entries, []) : [];
  const owners = new Map(pluginPods.map((pod) => [pod, podDriver(pod, entries, known)]));
  const names = new Set<DriverName>([
    ...valueOr(node.csiNode, []).map((entry) => entry.driver),
    ...[...owners.values()].filter((name) => name !== undefined),
    ...entries.map(driverOfEntry).filter((name) => name !== undefined),
    ...valueOr(snapshot.volumeUses, []).flatMap((use) => (use.node === node.name ? [use.driver] : [])),
    ...valueOr(snapshot.daemonSets, []).flatMap((set) => expectedDriver(set, node, known)),
  ]);
  const drivers = [...names]
    .sort()
    .map((driver) => joinDriver(snapshot, node, driver, entries, owners, known));
  return { node, snapshot, evidence, pluginPods, drivers, volumes: volumesOf(snapshot, node, evidence) };
}

/** A DaemonSet that selects the node is expected on it, even where a taint keeps it away. */
function expectedDriver(set: PluginDaemonSet, node: NodeSnapshot, known: ReadonlySet<DriverName>) {
  const driver = driverOfPlugin(set, known);
  return driver && obstacleOf(set, node)?.kind !== 'selector' ? [driver] : [];
}

function volumesOf(
  snapshot: Snapshot,
  node: NodeSnapshot,
  evidence: Observed<NodeEvidence>,
): NodeView['volumes'] {
  if (!evidence.seen) return evidence;
  // Without the API server's word a volume in use looks like one that nobody has.
  if (!snapshot.volumeUses.seen) return snapshot.volumeUses;
  return mapSeen(evidence.value.mounts, (mounts) => joinVolumes(snapshot, node, mounts));
}

/** The listener's container tells the pod for certain; without it the pod's own words must do. */
function podDriver(pod: PluginPod, entries: readonly RegistryEntry[], known: ReadonlySet<DriverName>) {
  const containers = new Set(
    pod.containers.map((container) => container.containerId).filter((id) => id !== ''),
  );
  const own = entries.find((entry) => {
    const connect = entry.socket?.connect;
    return connect?.state === 'accepted' && containers.has(connect.listener?.containerId ?? '');
  });
  return (own && driverOfEntry(own)) ?? driverOfPlugin(pod, known);
}

function joinDriver(
  snapshot: Snapshot,
  node: NodeSnapshot,
  driver: DriverName,
  entries: readonly RegistryEntry[],
  owners: ReadonlyMap<PluginPod, DriverName | undefined>,
  known: ReadonlySet<DriverName>,
): DriverView {
  const sockets = entries.filter((entry) => driverOfEntry(entry) === driver);
  const pods = [...owners].flatMap(([pod, name]) => (name === driver ? [pod] : []));
  const pod = pods.find(isServing) ?? pods[0];
  const daemonSet = valueOr(snapshot.daemonSets, []).find((set) => driverOfPlugin(set, known) === driver);
  const inList = (list: (plugins: KubeletPlugins) => readonly HostPath[]) =>
    mapSeen(node.kubeletPlugins, (plugins) =>
      list(plugins).some((path) => isSocketOf(path, driver, sockets)),
    );
  return {
    driver,
    node: node.name,
    listed: mapSeen(node.csiNode, (drivers) => drivers.find((entry) => entry.driver === driver)),
    held: inList((plugins) => plugins.actual),
    desired: inList((plugins) => plugins.desired),
    sockets,
    ...(pod && { pod }),
    ...(daemonSet && { daemonSet }),
    uses: valueOr(snapshot.volumeUses, []).filter((use) => use.node === node.name && use.driver === driver),
  };
}

const isSocketOf = (path: HostPath, driver: DriverName, sockets: readonly RegistryEntry[]) =>
  sockets.some((entry) => path.endsWith(`/plugins_registry/${entry.name}`)) ||
  driverOfSocket(path) === driver;
