import type { ContainerPath, DriverName, HostPath, NodeName, ObjectKey } from './ids.ts';
import type { Observed } from './observed.ts';
import type { SecondPlugin } from './second-plugin.ts';

/** Everything the API server said, at one moment. Holds no secret. */
export interface Snapshot {
  /** RFC 3339. */
  readonly takenAt: string;
  /** The API server's version, such as `v1.34.4`. */
  readonly serverVersion: string;
  readonly nodes: readonly NodeSnapshot[];
  readonly csiDrivers: Observed<readonly CsiDriver[]>;
  /** DaemonSets whose pods register a CSI driver. */
  readonly daemonSets: Observed<readonly PluginDaemonSet[]>;
  /** Pods that register a CSI driver, on any node. */
  readonly pluginPods: Observed<readonly PluginPod[]>;
  /** Pods that use CSI volumes, one entry a volume. */
  readonly volumeUses: Observed<readonly VolumeUse[]>;
  /** UIDs of all pods, as kubelet names their folders: a static pod's is not the API's. */
  readonly podUids: Observed<readonly string[]>;
  /** Second node plugins of restarts with handover; absent in captures that are older than these. */
  readonly secondPlugins?: Observed<readonly SecondPlugin[]>;
}

export interface NodeSnapshot {
  readonly name: NodeName;
  readonly uid: string;
  readonly ready: boolean;
  readonly os: string;
  readonly arch: string;
  readonly kubeletVersion: string;
  readonly osImage: string;
  readonly kernelVersion: string;
  readonly containerRuntime: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  /** Why no pod of ours can run here (virtual node, Fargate, Windows); absent where one can. */
  readonly unreachable?: string;
  /** CSINode's word. */
  readonly csiNode: Observed<readonly CsiNodeDriver[]>;
  /** Kubelet's own word, from its metrics. */
  readonly kubeletPlugins: Observed<KubeletPlugins>;
  /** Volumes mounted here by CSI drivers, by kubelet's metrics. */
  readonly kubeletVolumes: Observed<Readonly<Record<string, number>>>;
  /** Kubelet's `/configz`. */
  readonly kubeletConfig: Observed<Readonly<Record<string, unknown>>>;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface CsiNodeDriver {
  readonly driver: DriverName;
  readonly nodeId: string;
  /** `allocatable.count`: how many volumes of the driver the scheduler places here. */
  readonly allocatable?: number;
}

/** `plugin_manager_total_plugins{socket_path,state}` (pkg/kubelet/pluginmanager/metrics). */
export interface KubeletPlugins {
  /** Sockets that kubelet registered. */
  readonly actual: readonly HostPath[];
  /** Sockets that kubelet saw and wants registered. */
  readonly desired: readonly HostPath[];
}

export interface CsiDriver {
  readonly name: DriverName;
  readonly attachRequired: boolean;
  readonly podInfoOnMount: boolean;
  readonly requiresRepublish: boolean;
  readonly fsGroupPolicy: string;
  readonly seLinuxMount: boolean;
  readonly createdAt: string;
}

/** What a pod (or pod template) says of the driver that it registers. */
export interface PluginSpec {
  /**
   * Words in the pod spec that may be the driver's name, likeliest first: the registration path's folder, then values
   * of arguments, environment and labels that are for a driver's name. The first that is a known driver's name is the name.
   */
  readonly nameHints: readonly string[];
  /** The registrar's `--kubelet-registration-path`: where kubelet is told to find the CSI socket. */
  readonly registrationPath?: HostPath;
  /** The host folder that the pod mounts as its registry. */
  readonly registryPath: HostPath;
  /** Every host folder that the pod mounts. */
  readonly hostPaths: readonly HostPath[];
  readonly registrar?: RegistrarSpec;
  /** Names of the containers other than the registrar. */
  readonly otherContainers: readonly string[];
}

export interface RegistrarSpec {
  readonly container: string;
  readonly image: string;
  /** Its own flags as `--flag=value`: nothing else of its command line, which may hold secrets. */
  readonly args: readonly string[];
}

export interface PluginDaemonSet extends PluginSpec {
  readonly key: ObjectKey;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly affinity: readonly NodeSelectorTerm[];
  readonly tolerations: readonly Toleration[];
}

/** `requiredDuringSchedulingIgnoredDuringExecution`: the terms are alternatives. */
export interface NodeSelectorTerm {
  readonly labels: readonly SelectorRequirement[];
  readonly fields: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

export interface PluginPod extends PluginSpec {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly node?: NodeName;
  readonly phase: string;
  readonly deleting: boolean;
  /** `kind/name` of the controlling owner. */
  readonly owner?: string;
  readonly serviceAccount: string;
  readonly imagePullSecrets: readonly string[];
  readonly containers: readonly ContainerSnapshot[];
}

export interface ContainerSnapshot {
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  /** The runtime's id without its `containerd://`; empty before the first start. */
  readonly containerId: string;
  readonly ready: boolean;
  readonly restarts: number;
  /** `running`, or the reason why it is not: CrashLoopBackOff, ErrImagePull, ContainerCreating... */
  readonly state: string;
  /** The reason and exit code of the last end, such as `OOMKilled (137)`. */
  readonly lastEnd?: string;
}

export interface VolumeUse {
  readonly pod: ObjectKey;
  readonly podUid: string;
  readonly node?: NodeName;
  readonly phase: string;
  readonly deleting: boolean;
  /** The volume's name in the pod. */
  readonly volume: string;
  readonly driver: DriverName;
  readonly kind: 'persistent' | 'inline' | 'ephemeral';
  readonly claim?: ObjectKey;
  readonly persistentVolume?: string;
  readonly volumeHandle?: string;
  /** `kind/name` of the pod's controlling owner; absent for a bare pod, which nobody makes again. */
  readonly owner?: string;
  readonly restartPolicy: string;
  /** Seconds that its containers get to end; absent where the pod does not say. */
  readonly gracePeriodSeconds?: number;
  /** Containers that mount the volume. */
  readonly containers: readonly VolumeContainer[];
}

export interface VolumeContainer {
  readonly name: string;
  readonly role: 'init' | 'app' | 'ephemeral';
  /** The runtime's id without its `containerd://`; empty while it does not run. */
  readonly containerId: string;
  /** Of this volume. */
  readonly mounts: readonly VolumeMount[];
  /** Where the pod wants any volume that a CSI driver may mount. */
  readonly paths: readonly ContainerPath[];
}

export interface VolumeMount {
  /** As the pod says; the runtime resolves symbolic links of the image in it. */
  readonly path: ContainerPath;
  /** True for `subPath` and `subPathExpr`. */
  readonly subPath: boolean;
  readonly readOnly: boolean;
  readonly propagation: 'None' | 'HostToContainer' | 'Bidirectional';
}
