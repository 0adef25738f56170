import type { NodeEvidence, RegistryEntry } from '../model/evidence.ts';
import type { DriverName, NodeName } from '../model/ids.ts';
import type { Observed } from '../model/observed.ts';
import type {
  CsiNodeDriver,
  NodeSnapshot,
  PluginDaemonSet,
  PluginPod,
  Snapshot,
  VolumeUse,
} from '../model/snapshot.ts';

/** The snapshot and the evidence, joined for one cluster, node or driver. Rules and repairs read nothing else. */
export interface ClusterView {
  readonly snapshot: Snapshot;
  readonly nodes: readonly NodeView[];
}

export interface NodeView {
  readonly node: NodeSnapshot;
  readonly snapshot: Snapshot;
  /** Unseen where no agent ran on the node. */
  readonly evidence: Observed<NodeEvidence>;
  readonly pluginPods: readonly PluginPod[];
  readonly drivers: readonly DriverView[];
}

/** Everything known of one driver on one node. */
export interface DriverView {
  readonly driver: DriverName;
  readonly node: NodeName;
  /** Its CSINode entry; undefined where CSINode does not list it. */
  readonly listed: Observed<CsiNodeDriver | undefined>;
  /** Whether kubelet's actual list of plugins has it. */
  readonly held: Observed<boolean>;
  /** Whether kubelet saw its socket and wants it registered. */
  readonly desired: Observed<boolean>;
  /** Registry entries that belong to it. */
  readonly sockets: readonly RegistryEntry[];
  /** Its node plugin's pod here, if any. */
  readonly pod?: PluginPod;
  readonly daemonSet?: PluginDaemonSet;
  readonly uses: readonly VolumeUse[];
}
