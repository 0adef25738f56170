import type { HostPath } from './ids.ts';

/** What the node agent saw of mounts, in every mount namespace of one node. */
export interface MountEvidence {
  readonly namespaces: readonly MountNamespace[];
  readonly mounts: readonly ObservedMount[];
  readonly published: readonly PublishedTarget[];
  readonly staged: readonly StagedTarget[];
  readonly subPaths: readonly SubPathBind[];
  /** Processes on devices that do not answer. */
  readonly holders: readonly Holder[];
  /** Running processes whose mount namespace could not be read: what they have mounted is missing here. */
  readonly unreadable: number;
  /** Publish targets and staging paths that repairs which were cut off have left immutable, by their journals. */
  readonly guards?: readonly HostPath[];
}

export interface MountNamespace {
  readonly inode: string;
  /** The oldest process that sees the whole of it: a container's main process. */
  readonly pid: number;
  readonly startTicks: string;
  readonly command: string;
  /** Found in the process's cgroup path; absent outside a container. */
  readonly containerId?: string;
  /** Kubelet's own namespace. */
  readonly host: boolean;
}

/**
 * `alive`: answers. `dead`: ENOTCONN, or ESTALE and EHOSTDOWN of a network file system. `hung`: no answer in time.
 * `unseen`: an answer that proves nothing. `hidden`: another mount lies over it.
 */
export type MountState = 'alive' | 'dead' | 'hung' | 'unseen' | 'hidden';

export interface ObservedMount {
  readonly namespace: string;
  readonly id: number;
  /** MAJOR:MINOR. */
  readonly device: string;
  /** The directory inside the file system that is mounted here. */
  readonly root: string;
  readonly mountPoint: string;
  readonly options: string;
  readonly propagation: 'shared' | 'slave' | 'private';
  readonly fsType: string;
  readonly source: string;
  readonly state: MountState;
  readonly errno?: string;
  /** Requests that wait for the FUSE daemon; absent for other file systems. */
  readonly waiting?: number;
  /** Place in the stack on this mount point: 0 is the lowest. */
  readonly layer: number;
  /** Mounts on exactly this mount point. */
  readonly layers: number;
}

/** `unseen`: could not be told; never taken for bare. */
export type TargetState = 'mounted' | 'bare' | 'absent' | 'unseen';

/** `ROOT/pods/UID/volumes/kubernetes.io~csi/SPECNAME/mount`. */
export interface PublishedTarget {
  readonly path: HostPath;
  readonly podUid: string;
  readonly specName: string;
  /** The text of vol_data.json beside it; absent where there is none. */
  readonly volData?: string;
  readonly state: TargetState;
  /** The immutable flag of a repair that was cut off is on the bare directory. */
  readonly guarded: boolean;
  /** What lies in a bare directory; never touched. */
  readonly files: readonly string[];
}

/** `ROOT/plugins/kubernetes.io/csi/DRIVER/HASH/globalmount`. */
export interface StagedTarget {
  readonly path: HostPath;
  readonly driver: string;
  readonly volData?: string;
  readonly state: TargetState;
  readonly guarded: boolean;
}

/** `ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX`: kubelet's own bind of a subPath. */
export interface SubPathBind {
  readonly path: HostPath;
  readonly podUid: string;
  readonly volume: string;
  readonly container: string;
  readonly index: string;
  readonly state: TargetState;
}

/** A process that keeps something of a dead file system; it stays dead until the process lets go of it. */
export interface Holder {
  readonly pid: number;
  readonly command: string;
  readonly containerId?: string;
  readonly device: string;
  readonly descriptors: number;
  readonly workingDirectory: boolean;
  readonly mappings: number;
}
