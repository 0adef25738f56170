import type { DriverName, NodeName, ObjectKey } from './ids.ts';

/** What becomes of a volume when something restarts. `dead`: it is so already. */
export type Fate = 'dies' | 'survives' | 'dead' | 'unknown';

/** Where a FUSE daemon lives: what it dies with. */
export type Home =
  | { readonly kind: 'plugin' | 'pod'; readonly pod: ObjectKey; readonly container: string }
  /** In the cgroup of kubelet's own unit. */
  | { readonly kind: 'kubelet'; readonly unit: string }
  /** In a unit or scope of systemd of its own. */
  | { readonly kind: 'unit'; readonly unit: string }
  /** A process of the node outside containers and units. */
  | { readonly kind: 'process' }
  | { readonly kind: 'unknown'; readonly why: string };

/** A process that serves a mount. */
export interface Daemon {
  readonly pid: number;
  readonly command: string;
  readonly home: Home;
  /**
   * `kernel`: the connection's number. Inferred on kernels that do not tell it: `command-line` names the mount point;
   * `only-home`: all daemons of the node that could serve it live in one place.
   */
  readonly proof: 'kernel' | 'command-line' | 'only-home';
}

/** Who serves one of the mounts of a volume. */
export type Service =
  /** The kernel alone, or a server elsewhere. */
  | { readonly by: 'kernel'; readonly fsType: string }
  /** It lives as long as one of these holds its connection. */
  | { readonly by: 'daemons'; readonly fsType: string; readonly daemons: readonly Daemon[] }
  | { readonly by: 'nobody'; readonly fsType: string }
  | { readonly by: 'unknown'; readonly fsType?: string; readonly why: string };

/** One CSI volume of one pod, who serves it, and what would help the pod. */
export interface VolumeImpact {
  readonly node: NodeName;
  readonly driver: DriverName;
  readonly pod: ObjectKey;
  /** `Kind/name` of what people deployed; absent for a bare pod. */
  readonly workload?: string;
  /** Its claim's name, or its name in the pod. */
  readonly volume: string;
  readonly handle?: string;
  /** One entry a file system: the host's, and each that a container has besides. Empty: nothing is mounted. */
  readonly services: readonly Service[];
  readonly containers: readonly ContainerImpact[];
  readonly onPluginRestart: Fate;
  readonly onKubeletRestart: Fate;
  readonly protection: Protection;
}

export interface ContainerImpact {
  readonly container: string;
  readonly path: string;
  readonly propagation: 'None' | 'HostToContainer' | 'Bidirectional';
  /** Whether its liveness probe's command looks at the mount. */
  readonly probed: boolean;
}

/**
 * What keeps the volume alive (`no-daemon`, `unit`, `process`, `sidecar`, `mount-pod`), or what only softens its death:
 * `propagation` brings what is mounted again into the container, `probe` restarts the container.
 */
export type Protection =
  | { readonly kind: 'no-daemon' | 'process' | 'propagation' | 'probe' | 'nothing' | 'unknown' }
  | { readonly kind: 'unit'; readonly unit: string }
  | { readonly kind: 'sidecar'; readonly container: string }
  | { readonly kind: 'mount-pod'; readonly pod: ObjectKey };

/** What restarts. Pods by `namespace/name`. */
export type Trigger =
  | { readonly kind: 'kubelet' }
  | { readonly kind: 'pods'; readonly pods: ReadonlySet<string> };

/** What something's restart costs, in volumes. */
export interface Toll {
  readonly dies: number;
  readonly survives: number;
  readonly dead: number;
  readonly unknown: number;
  /** Pods, as `namespace/name`, and workloads, as `namespace/Kind/name`, of the volumes that die. */
  readonly pods: readonly string[];
  readonly workloads: readonly string[];
}
