import type { DaemonEvidence } from './daemons.ts';
import type { DriverName, HostPath } from './ids.ts';
import type { MountEvidence } from './mounts.ts';
import type { Observed } from './observed.ts';

/** What the node agent saw on one node, and what the sockets there answered. */
export interface NodeEvidence {
  /** RFC 3339, by the client's clock. */
  readonly takenAt: string;
  readonly host: Observed<HostFacts>;
  readonly kubelet: Observed<KubeletProcess>;
  /** The kubelet root that the running kubelet uses. */
  readonly root: Observed<Folder>;
  readonly registry: Observed<Folder>;
  readonly watches: Observed<readonly Watch[]>;
  readonly limits: Observed<InotifyLimits>;
  readonly entries: Observed<readonly RegistryEntry[]>;
  /** Registries under roots that the running kubelet does not use. */
  readonly otherRegistries: readonly OtherRegistry[];
  /** The last lines of the running kubelet's log that tell of trouble with its watch on the registry. */
  readonly watcherLog: Observed<readonly LogLine[]>;
  readonly mounts: Observed<MountEvidence>;
  /** Events of its own that the registry delivered; present only after `doctor --probe`. */
  readonly selfTest?: Observed<SelfTest>;
  /** Who serves the FUSE mounts; present only where that was asked. */
  readonly daemons?: Observed<DaemonEvidence>;
}

export interface HostFacts {
  readonly kernel: string;
  readonly bootId: string;
  /** `PRETTY_NAME` of os-release; empty where there is none. */
  readonly osName: string;
  readonly systemd: boolean;
  readonly selinux: 'enforcing' | 'permissive' | 'off';
}

export interface KubeletProcess {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: with the pid it names one process for ever. */
  readonly startTicks: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly command: string;
  readonly argv: readonly string[];
  readonly uid: number;
  readonly parent: ParentProcess;
  /** Lines of /proc/PID/cgroup. */
  readonly cgroups: readonly string[];
}

export interface ParentProcess {
  readonly pid: number;
  readonly command: string;
}

/** A directory in kubelet's mount namespace, and the mount that holds it. */
export interface Folder {
  readonly path: HostPath;
  readonly inode: string;
  readonly device: string;
  /** RFC 3339; absent where the file system keeps no birth time. */
  readonly bornAt?: string;
  /** Octal permission bits, such as `0750`. */
  readonly mode: string;
  readonly mount: MountFacts;
}

export interface MountFacts {
  readonly mountPoint: HostPath;
  readonly fsType: string;
  readonly source: string;
  readonly options: string;
  readonly propagation: 'shared' | 'slave' | 'private';
  /** Mounts stacked on exactly this mount point; 1 is one mount. */
  readonly layers: number;
}

/** One line `inotify wd:… ino:… sdev:…` of /proc/KUBELET/fdinfo. */
export interface Watch {
  readonly inode: string;
  readonly device: string;
}

/** fs.inotify.* and what kubelet's user has taken of them. */
export interface InotifyLimits {
  readonly maxInstances: number;
  readonly usedInstances: number;
  readonly maxWatches: number;
  readonly usedWatches: number;
  readonly maxQueuedEvents: number;
}

export interface LogLine {
  readonly text: string;
  /** RFC 3339; absent where the line does not say. */
  readonly at?: string;
}

export interface RegistryEntry {
  /** Relative to the registry; kubelet walks sub-directories. */
  readonly name: string;
  readonly kind: 'socket' | 'directory' | 'file' | 'link' | 'other';
  /** RFC 3339. */
  readonly changedAt: string;
  /** Present for sockets only. */
  readonly socket?: SocketAnswer;
}

export interface SocketAnswer {
  readonly connect: Connect;
  /** Somebody spoke to it; without exec, and where nobody listens, nobody does. */
  readonly asked: boolean;
  /** `Registration/GetInfo` on this socket. */
  readonly registration: Observed<Registration>;
  /** `Identity/GetPluginInfo` and `Probe` on the endpoint that the registration names. */
  readonly driver: Observed<DriverAnswer>;
  /** True where this socket itself speaks CSI: not a registration socket. */
  readonly speaksCsi: boolean;
}

export type Connect =
  | { readonly state: 'accepted'; readonly listener?: Listener }
  | { readonly state: 'refused' }
  | { readonly state: 'failed'; readonly errno: string }
  | { readonly state: 'silent' };

/** The process that listens, by SO_PEERCRED. */
export interface Listener {
  readonly pid: number;
  readonly startTicks: string;
  readonly command: string;
  /** Found in its cgroup path; absent for a process outside a container. */
  readonly containerId?: string;
}

/** `pluginregistration.v1.PluginInfo`. */
export interface Registration {
  readonly type: string;
  readonly name: DriverName;
  /** Empty means the registration socket itself. */
  readonly endpoint: HostPath;
  readonly versions: readonly string[];
}

export interface DriverAnswer {
  readonly name: DriverName;
  readonly vendorVersion: string;
  /** `Probe`'s answer; absent means ready, as CSI says. */
  readonly ready: boolean;
}

export interface OtherRegistry {
  readonly root: HostPath;
  readonly sockets: readonly string[];
}

export interface SelfTest {
  readonly sent: number;
  readonly delivered: number;
}
