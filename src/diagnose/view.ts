import type { VolumeData } from '../kubelet/volume-data.ts';
import type { NodeEvidence, RegistryEntry } from '../model/evidence.ts';
import type { DriverName, HostPath, NodeName } from '../model/ids.ts';
import type {
  MountNamespace,
  MountState,
  ObservedMount,
  PublishedTarget,
  StagedTarget,
  SubPathBind,
} from '../model/mounts.ts';
import type { Observed } from '../model/observed.ts';
import type {
  CsiNodeDriver,
  NodeSnapshot,
  PluginDaemonSet,
  PluginPod,
  Snapshot,
  VolumeContainer,
  VolumeMount,
  VolumeUse,
} from '../model/snapshot.ts';
import type { PodView } from './pod-view.ts';

/** The snapshot and the evidence, joined for one cluster, node or driver. Rules and repairs read nothing else. */
export interface ClusterView {
  readonly snapshot: Snapshot;
  readonly nodes: readonly NodeView[];
  /** The pod that was asked for, if one was. */
  readonly pod?: PodView;
}

export interface NodeView {
  readonly node: NodeSnapshot;
  readonly snapshot: Snapshot;
  /** Unseen where no agent ran on the node. */
  readonly evidence: Observed<NodeEvidence>;
  readonly pluginPods: readonly PluginPod[];
  readonly drivers: readonly DriverView[];
  /** CSI volumes published on the node. Unseen where no agent looked at its mounts. */
  readonly volumes: Observed<readonly VolumeView[]>;
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

/** One CSI volume of one pod on one node. */
export interface VolumeView {
  readonly node: NodeName;
  readonly driver: DriverName;
  /** The volume's handle, as the driver knows it. */
  readonly handle: string;
  readonly target: PublishedTarget;
  /** What kubelet wrote beside it; absent where that is missing or broken. */
  readonly data?: VolumeData;
  /** The pod's use of it; absent for an orphan: no pod of the API server has it. */
  readonly use?: VolumeUse;
  /** The API server knows no pod of its UID; false where it knows one, or could not be asked. */
  readonly podGone: boolean;
  /** Mounts on the target in kubelet's namespace, the lowest first. */
  readonly layers: readonly ObservedMount[];
  /** The state of the top layer; `bare`: a directory without a mount; `absent`: no directory. */
  readonly state: MountState | 'bare' | 'absent';
  readonly staging?: StagingView;
  readonly subPaths: readonly SubPathView[];
  readonly containers: readonly ContainerMountView[];
  /** Of its target and its staging path, those that a repair which was cut off has left immutable. */
  readonly guards?: readonly HostPath[];
}

export interface StagingView {
  readonly target: StagedTarget;
  readonly layers: readonly ObservedMount[];
}

export interface SubPathView {
  readonly bind: SubPathBind;
  readonly layers: readonly ObservedMount[];
}

/** The volume as one container has it. */
export interface ContainerMountView {
  readonly container: string;
  readonly role: VolumeContainer['role'];
  readonly declared: VolumeMount;
  readonly namespace?: MountNamespace;
  /** The top layer. */
  readonly mount?: ObservedMount;
  /**
   * `same`: what the host has, or alive while the host is not. `other-device`, `other-offset`: alive, but not what the
   * host has. `bare`: bound to the directory on the node's disk. `stopped`: does not run. `lost`: gone from
   * inside another FUSE mount. `missing`: it runs, and no process or no mount of it was found.
   */
  readonly state:
    | MountState
    | 'same'
    | 'other-device'
    | 'other-offset'
    | 'bare'
    | 'stopped'
    | 'lost'
    | 'missing';
}
