// Generated from agent/protocol.json by scripts/generate-protocol.mjs. Do not edit.

export const PROTOCOL_VERSION = 1;

export type Presence = 'present' | 'absent' | 'not-directory' | 'hung' | 'unreadable';

export type Origin = 'flag' | 'default' | 'hint';

export type EntryType = 'socket' | 'directory' | 'file' | 'symlink' | 'other' | 'unreadable';

export type Connection = 'accepted' | 'refused' | 'failed' | 'hung';

export type Verb = 'show' | 'is-active' | 'restart' | 'start' | 'stop' | 'enable' | 'disable' | 'daemon-reload';

export type Signal = 'TERM' | 'KILL';

export type Announcement = 'announced' | 'restored';

export type MountState = 'alive' | 'dead' | 'hung' | 'unseen' | 'hidden';

export type MountPresence = 'mounted' | 'bare' | 'file' | 'absent' | 'unseen';

export type Decision = 'commit' | 'rollback' | 'look';

export type Release = 'committed' | 'restored' | 'left';

export type Propagation = 'keep' | 'private' | 'slave' | 'shared';

export type SwapMode = 'auto' | 'beneath' | 'top' | 'detach';

export type LogSource = 'file' | 'pipe' | 'journal';

/**
 * Why an answer is not complete.
 * - `usage`: The command line is wrong; exit code 2.
 * - `no-process`: The process is gone, or its id belongs to another one now.
 * - `no-access`: The process may not be looked into: a capability or a security profile is missing.
 * - `not-found`: The path does not exist.
 * - `not-socket`: The path is no socket.
 * - `symlink`: A symbolic link stands where none may be.
 * - `in-use`: Somebody listens on the socket.
 * - `exists`: The name is taken.
 * - `changed`: It changed while we worked.
 * - `no-layer`: The hidden directory was not found.
 * - `not-ours`: It was not made by this tool.
 * - `already`: It is already so.
 * - `alive`: The mount answers; only a dead one is touched.
 * - `unseen`: Whether it is dead could not be told; it is left alone.
 * - `mounted`: Something is mounted there.
 * - `not-empty`: The directory is not empty.
 * - `dead`: The server of the file system is gone.
 * - `hung`: The file system or the process did not answer in time.
 * - `too-large`: More than the limit.
 * - `unsupported`: The host lacks what this needs.
 * - `system`: A system call failed; errno says how.
 * - `internal`: A fault of the agent.
 */
export type ErrorCode = 'usage' | 'no-process' | 'no-access' | 'not-found' | 'not-socket' | 'symlink' | 'in-use' | 'exists' | 'changed' | 'no-layer' | 'not-ours' | 'already' | 'alive' | 'unseen' | 'mounted' | 'not-empty' | 'dead' | 'hung' | 'too-large' | 'unsupported' | 'system' | 'internal';

/** One line of mountinfo. */
export interface Mount {
  /** Mount id, unique in its mount namespace. */
  readonly id: number;
  /** Mount id of the parent. */
  readonly parent: number;
  /** MAJOR:MINOR of the super block; the one that inotify's sdev names. */
  readonly device: string;
  /** Directory of the file system that is mounted. */
  readonly root: Bytes;
  /** Path as the observed process sees it. */
  readonly mountPoint: Bytes;
  /** Flags of this mount, comma separated. */
  readonly options: Bytes;
  /** Peer group it belongs to, null when it is not shared. */
  readonly shared: number | null;
  /** Peer group it receives from, null when it is no slave. */
  readonly master: number | null;
  /** File system type, with its subtype after a dot. */
  readonly fsType: Bytes;
  /** What is mounted. */
  readonly source: Bytes;
  /** Options of the super block, comma separated. */
  readonly superOptions: Bytes;
}

/** A directory as the observed process sees it. */
export interface Directory {
  /** The path that was asked for. */
  readonly path: Bytes;
  /** Whether it is there; all that follows is null unless present. */
  readonly state: Presence;
  /** Why it could not be seen, null when present or hung. */
  readonly errno: string | null;
  /** The path with symbolic links resolved. */
  readonly realPath: Bytes | null;
  /** Inode number. */
  readonly inode: string | null;
  /** MAJOR:MINOR as stat gives it; btrfs differs from mount.device here. */
  readonly device: string | null;
  /** Permission bits, such as 0750. */
  readonly mode: number | null;
  /** When it was made, seconds since 1970; null where the file system keeps no birth time. */
  readonly born: number | null;
  /** The mount that holds it. */
  readonly mount: Mount | null;
  /** Mounts whose mount point is exactly this directory. */
  readonly layers: number | null;
}

/** The process that listens on a socket. */
export interface Peer {
  /** Process id; 0 when it lives in a PID namespace that is not visible. */
  readonly pid: number;
  /** Command name, null when the process is gone or not visible. */
  readonly comm: Bytes | null;
  /** Lines of its cgroup file; they name the pod and the container. */
  readonly cgroup: readonly Bytes[];
  /** Start time in clock ticks since boot. */
  readonly startTicks: string | null;
}

/** First record: which agent speaks, and on which machine. */
export interface HelloRecord {
  readonly kind: 'hello';
  /** Version of the agent. */
  readonly agent: string;
  /** Machine name as uname gives it. */
  readonly arch: string;
  /** Kernel release. */
  readonly kernel: string;
  /** Changes at each boot. */
  readonly bootId: string | null;
  /** Seconds since boot. */
  readonly uptime: number;
}

/** A process that may be a kubelet. */
export interface ProcessRecord {
  readonly kind: 'process';
  /** Process id. */
  readonly pid: number;
  /** Process id of the parent. */
  readonly ppid: number;
  /** Command name of the parent. */
  readonly parentComm: Bytes | null;
  /** Command line of the parent. */
  readonly parentArgv: readonly Bytes[];
  /** Command name, at most 15 bytes. */
  readonly comm: Bytes;
  /** Path of the executable. */
  readonly exe: Bytes | null;
  /** Command line. */
  readonly argv: readonly Bytes[];
  /** Lines of its cgroup file. */
  readonly cgroup: readonly Bytes[];
  /** Start time in clock ticks since boot; with the pid it names the process. */
  readonly startTicks: string;
  /** Start time in seconds since 1970. */
  readonly startedAt: number;
  /** Effective user id. */
  readonly uid: number;
  /** Inode of its mount namespace. */
  readonly mountNamespace: string | null;
  /** Inode of PID 1's mount namespace. */
  readonly hostMountNamespace: string | null;
}

/** A kubelet root and the directory in it where kubelet looks for plugins. */
export interface RootRecord {
  readonly kind: 'root';
  /** The process whose view of the file system this is. */
  readonly at: number;
  /** The kubelet that uses this root, null for a hint. */
  readonly kubelet: number | null;
  /** Where the path comes from. */
  readonly origin: Origin;
  /** The root itself. */
  readonly directory: Directory;
  /** plugins_registry in it. */
  readonly registry: Directory;
}

/** The inotify limits of the kernel. */
export interface LimitsRecord {
  readonly kind: 'limits';
  /** fs.inotify.max_user_instances. */
  readonly maxUserInstances: number | null;
  /** fs.inotify.max_user_watches. */
  readonly maxUserWatches: number | null;
  /** fs.inotify.max_queued_events. */
  readonly maxQueuedEvents: number | null;
}

/** What a user that runs a kubelet holds of the inotify limits, as far as visible. */
export interface UsageRecord {
  readonly kind: 'usage';
  /** Effective user id. */
  readonly uid: number;
  /** inotify descriptors of processes of that user. */
  readonly instances: number;
  /** Watches on them. */
  readonly watches: number;
  /** Processes of that user that were looked into. */
  readonly processes: number;
  /** Processes of that user that could not be looked into. */
  readonly unreadable: number;
}

/** One inotify watch of a kubelet. */
export interface WatchRecord {
  readonly kind: 'watch';
  /** The kubelet. */
  readonly pid: number;
  /** Its inotify descriptor. */
  readonly fd: number;
  /** Watch descriptor. */
  readonly wd: number;
  /** Inode that is watched. */
  readonly inode: string;
  /** MAJOR:MINOR of the super block; compare with mount.device. */
  readonly device: string;
  /** Events asked for, as inotify(7) numbers them. */
  readonly mask: number;
}

/** How complete the watch records of a kubelet are. */
export interface WatchesRecord {
  readonly kind: 'watches';
  /** The kubelet. */
  readonly pid: number;
  /** False when its descriptors could not be read: no watch is known. */
  readonly readable: boolean;
  /** inotify descriptors it holds. */
  readonly instances: number;
  /** Watches it holds. */
  readonly watches: number;
  /** True when there are more watches than records. */
  readonly truncated: boolean;
}

/** One name in plugins_registry, or below it. */
export interface EntryRecord {
  readonly kind: 'entry';
  /** The process whose view of the file system this is. */
  readonly at: number;
  /** The kubelet root, as in the root record. */
  readonly root: Bytes;
  /** Path relative to plugins_registry. */
  readonly name: Bytes;
  /** True when kubelet ignores it: its last name begins with a dot. */
  readonly hidden: boolean;
  /** What it is. */
  readonly type: EntryType;
  /** Why it is unreadable. */
  readonly errno: string | null;
  /** Inode number. */
  readonly inode: string | null;
  /** MAJOR:MINOR as stat gives it. */
  readonly device: string | null;
  /** Permission bits. */
  readonly mode: number | null;
  /** Owner. */
  readonly uid: number | null;
  /** Last modification, seconds since 1970; a socket's is its bind. */
  readonly mtime: number | null;
  /** What connecting to a socket gave; null for all else. */
  readonly connection: Connection | null;
  /** Why connecting was refused or failed. */
  readonly connectErrno: string | null;
  /** Who listens, when the connection was accepted. */
  readonly peer: Peer | null;
}

/** How complete the entry records of a root are. */
export interface EntriesRecord {
  readonly kind: 'entries';
  /** The process whose view of the file system this is. */
  readonly at: number;
  /** The kubelet root. */
  readonly root: Bytes;
  /** Entry records that were written. */
  readonly count: number;
  /** hung: listing did not end in time, some may be missing. */
  readonly state: Presence;
  /** True when there are more entries than records. */
  readonly truncated: boolean;
}

/** Facts about the host. */
export interface HostRecord {
  readonly kind: 'host';
  /** ID of os-release. */
  readonly osId: Bytes | null;
  /** VERSION_ID of os-release. */
  readonly osVersion: Bytes | null;
  /** PRETTY_NAME of os-release. */
  readonly osName: Bytes | null;
  /** Command name of PID 1. */
  readonly init: Bytes | null;
  /** Whether systemd manages the host (/run/systemd/system). */
  readonly systemd: boolean | null;
  /** enforcing, permissive, or null without SELinux. */
  readonly selinux: string | null;
  /** Whether AppArmor is on. */
  readonly apparmor: boolean | null;
  /** Whether the kernel has the fuse file system. */
  readonly fuse: boolean | null;
}

/** Whether a directory delivers its own events. */
export interface DeliveryRecord {
  readonly kind: 'delivery';
  /** Rounds of create, rename, unlink. */
  readonly rounds: number;
  /** Events that these must cause. */
  readonly sent: number;
  /** Events that arrived in time. */
  readonly delivered: number;
  /** Whether our own queue overflowed. */
  readonly overflowed: boolean;
  /** Longest wait for the events of a round, in milliseconds. */
  readonly slowest: number;
}

/** A socket was announced again. */
export interface AnnouncedRecord {
  readonly kind: 'announced';
  /** The socket. */
  readonly path: Bytes;
  /** Its inode, the same before and after. */
  readonly inode: string;
  /** restored: only the dot-name of an interrupted run was there. */
  readonly action: Announcement;
  /** Mounts that were taken off in a private view to reach the directory. */
  readonly layers: number;
}

/** A stale socket was put aside, or back. */
export interface RenamedRecord {
  readonly kind: 'renamed';
  /** Name before, relative to plugins_registry. */
  readonly from: Bytes;
  /** Name after. */
  readonly to: Bytes;
  /** Its inode. */
  readonly inode: string;
}

/** A process was sent a signal. */
export interface SignalledRecord {
  readonly kind: 'signalled';
  /** Process id. */
  readonly pid: number;
  /** Whether it ended in time. */
  readonly ended: boolean;
  /** Milliseconds until it ended, or that were waited in vain. */
  readonly waited: number;
}

/** What the host's systemctl answered. */
export interface SystemctlRecord {
  readonly kind: 'systemctl';
  /** Its exit code; null when it runs detached. */
  readonly exitCode: number | null;
  /** Standard output and standard error. */
  readonly output: Bytes;
  /** True when there was more output. */
  readonly truncated: boolean;
  /** True when it goes on by itself; its result goes to the journal. */
  readonly detached: boolean;
}

/** A new kubelet runs. */
export interface RestartedRecord {
  readonly kind: 'restarted';
  /** The kubelet before. */
  readonly oldPid: number;
  /** The kubelet now. */
  readonly pid: number;
  /** Its start time in clock ticks since boot. */
  readonly startTicks: string;
  /** Milliseconds until it ran. */
  readonly waited: number;
}

/** One line of a journal on the node. */
export interface JournalRecord {
  readonly kind: 'journal';
  /** The run that wrote it. */
  readonly run: string;
  /** The line. */
  readonly line: Bytes;
  /** False when the writer was cut off. */
  readonly complete: boolean;
}

/** plugins_registry has a file system of its own, or no longer. */
export interface CoveredRecord {
  readonly kind: 'covered';
  /** The directory. */
  readonly path: Bytes;
  /** Whether our tmpfs is on it now. */
  readonly covered: boolean;
  /** Mounts exactly on it now. */
  readonly layers: number;
}

/** A systemd unit file was written or removed. */
export interface UnitRecord {
  readonly kind: 'unit';
  /** The file. */
  readonly path: Bytes;
  /** Whether it is there now. */
  readonly present: boolean;
  /** False when it already was as asked. */
  readonly changed: boolean;
}

/** A mount namespace, by a process in it that sees most of it. */
export interface NamespaceRecord {
  readonly kind: 'namespace';
  /** Inode of the namespace. */
  readonly inode: string;
  /** The process. */
  readonly pid: number;
  /** Its start time in clock ticks since boot. */
  readonly startTicks: string;
  /** Its command name. */
  readonly comm: Bytes;
  /** Lines of its cgroup file; they name the pod and the container. */
  readonly cgroup: readonly Bytes[];
  /** Inode of its user namespace. */
  readonly userNamespace: string | null;
  /** Inode of PID 1's user namespace. */
  readonly hostUserNamespace: string | null;
  /** Whether it is the kubelet's own. */
  readonly isHost: boolean;
}

/** A mount that belongs to a volume, or whose file system can die. */
export interface VolumeMountRecord {
  readonly kind: 'volumeMount';
  /** Inode of the mount namespace that it is in. */
  readonly namespace: string;
  /** Its line of mountinfo, as the namespace's process sees it; without the mark of a deleted root. */
  readonly mount: Mount;
  /** Whether the kernel marked its root as deleted, as a failed lookup on a dead mount makes it. */
  readonly deleted: boolean;
  /** Mounts whose mount point is exactly this one's. */
  readonly layers: number;
  /** Its place among them, 0 is the bottom. */
  readonly position: number;
  /** hidden: another layer covers it, or it lies below a mount that did not answer. The state of a device that was seen elsewhere is not passed on to a hidden mount. */
  readonly state: MountState;
  /** What statfs answered when dead or unseen. */
  readonly errno: string | null;
  /** Requests that wait in its FUSE connection; null when it has none or it can't be read. */
  readonly waiting: number | null;
}

/** A volume that kubelet has published, or begun to: pods/UID/volumes/kubernetes.io~csi/SPEC. */
export interface VolumeRecord {
  readonly kind: 'volume';
  /** The publish target: the directory mount in it. */
  readonly path: Bytes;
  /** The pod. */
  readonly podUid: Bytes;
  /** Name of the PersistentVolume, or of an inline volume in its pod. */
  readonly specName: Bytes;
  /** Text of vol_data.json, null when absent, unreadable or beyond 64 KiB. */
  readonly volData: Bytes | null;
  /** bare: a directory on which nothing is mounted. unseen: errno says why, or it hung. */
  readonly mount: MountPresence;
  /** Why it is unseen. */
  readonly errno: string | null;
  /** Whether the bare directory is immutable; null when not bare, or its file system has no such flag. */
  readonly guarded: boolean | null;
  /** Names in the bare directory, at most 20. */
  readonly files: readonly Bytes[];
  /** True when there are more. */
  readonly truncated: boolean;
}

/** A staging directory: plugins/kubernetes.io/csi/DRIVER/HASH. */
export interface StagedRecord {
  readonly kind: 'staged';
  /** The staging path: the directory globalmount in it. */
  readonly path: Bytes;
  /** Name of the driver; pv in the layout of kubelets before 1.24. */
  readonly driver: Bytes;
  /** SHA-256 of the volume handle; the PersistentVolume's name in the old layout. */
  readonly hash: Bytes;
  /** Text of vol_data.json, null when absent, unreadable or beyond 64 KiB. */
  readonly volData: Bytes | null;
  /** bare: a directory on which nothing is mounted. */
  readonly mount: MountPresence;
  /** Why it is unseen. */
  readonly errno: string | null;
  /** Whether the bare directory is immutable. */
  readonly guarded: boolean | null;
}

/** Kubelet's bind of a subPath: pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX. */
export interface SubpathRecord {
  readonly kind: 'subpath';
  /** The whole path. */
  readonly path: Bytes;
  /** The pod. */
  readonly podUid: Bytes;
  /** Name of the PersistentVolume or of the volume. */
  readonly volume: Bytes;
  /** Name of the container. */
  readonly container: Bytes;
  /** Index of the volume mount in the container. */
  readonly index: Bytes;
  /** file: a regular file on which nothing is mounted. */
  readonly mount: MountPresence;
  /** Why it is unseen. */
  readonly errno: string | null;
}

/** A raw block volume: pods/UID/volumeDevices/kubernetes.io~csi/SPEC. */
export interface BlockVolumeRecord {
  readonly kind: 'blockVolume';
  /** The whole path. */
  readonly path: Bytes;
  /** The pod. */
  readonly podUid: Bytes;
  /** Name of the PersistentVolume. */
  readonly specName: Bytes;
  /** file: a link or a device file on which nothing is mounted. */
  readonly mount: MountPresence;
  /** Why it is unseen. */
  readonly errno: string | null;
}

/** How complete the mount records are. */
export interface MountCountsRecord {
  readonly kind: 'mountCounts';
  /** Mount namespaces that were looked into. */
  readonly namespaces: number;
  /** Processes that were looked at. */
  readonly processes: number;
  /** Running processes whose mount namespace could not be told or read. */
  readonly unreadable: number;
  /** volumeMount records. */
  readonly mounts: number;
  /** True when there is more than the limits let through. */
  readonly truncated: boolean;
  /** What looking took. */
  readonly milliseconds: number;
}

/** A process that holds something of a device open. */
export interface HolderRecord {
  readonly kind: 'holder';
  /** The device. */
  readonly device: string;
  /** Process id. */
  readonly pid: number;
  /** Start time in clock ticks since boot. */
  readonly startTicks: string;
  /** Command name. */
  readonly comm: Bytes;
  /** Lines of its cgroup file; they name the pod and the container. */
  readonly cgroup: readonly Bytes[];
  /** Open descriptors on the device. */
  readonly descriptors: number;
  /** Whether its working directory is there. */
  readonly workingDirectory: boolean;
  /** Whether its root directory is there. */
  readonly rootDirectory: boolean;
  /** Mapped regions of files there. */
  readonly mappings: number;
}

/** How complete the holder records are. */
export interface HolderCountsRecord {
  readonly kind: 'holderCounts';
  /** Processes that were looked at. */
  readonly processes: number;
  /** Processes that could not be looked into. */
  readonly unreadable: number;
}

/** A process that holds /dev/fuse open, once for each connection: it serves mounts. */
export interface DaemonRecord {
  readonly kind: 'daemon';
  /** Process id. */
  readonly pid: number;
  /** Start time in clock ticks since boot. */
  readonly startTicks: string;
  /** Its parent. */
  readonly ppid: number;
  /** Command name. */
  readonly comm: Bytes;
  /** Lines of its cgroup file; they name the container or the unit. */
  readonly cgroup: readonly Bytes[];
  /** Inode of its PID namespace. */
  readonly pidNamespace: string | null;
  /** Inode of process 1's. */
  readonly hostPidNamespace: string | null;
  /** Inode of its mount namespace. */
  readonly mountNamespace: string | null;
  /** MAJOR:MINOR of the mounts that the connection serves; null where the kernel does not say, or it serves none. */
  readonly device: string | null;
  /** Open descriptors of the connection. */
  readonly descriptors: number;
  /** Devices of FUSE mounts of its own mount namespace whose mount point its command line names. */
  readonly named: readonly string[];
}

/** How complete the daemon records are. */
export interface DaemonCountsRecord {
  readonly kind: 'daemonCounts';
  /** Processes that were looked at. */
  readonly processes: number;
  /** Processes that could not be looked into. */
  readonly unreadable: number;
}

/** A target is bare and ready to be published to; the agent waits for one line on standard input. */
export interface GuardedRecord {
  readonly kind: 'guarded';
  /** The path. */
  readonly target: Bytes;
  /** Dead mounts that were taken off and are kept. */
  readonly layers: number;
  /** Whether the bare directory is immutable now. */
  readonly guarded: boolean;
  /** Why it is not; null when guarded or not asked for. */
  readonly errno: string | null;
  /** File system of the bare directory. */
  readonly fsType: Bytes | null;
}

/** What became of a target. */
export interface ReleasedRecord {
  readonly kind: 'released';
  /** The path. */
  readonly target: Bytes;
  /** What was decided; look: the caller was gone or silent. */
  readonly decision: Decision;
  /** left: neither; reason says what is there. */
  readonly outcome: Release;
  /** Mounts on it now. */
  readonly layers: number;
  /** Device of the topmost, null when bare. */
  readonly device: string | null;
  /** Whether the immutable flag is still on. */
  readonly guarded: boolean;
  /** Why it is left. */
  readonly reason: Bytes | null;
}

/** A directory has no immutable flag of ours any more. */
export interface UnguardedRecord {
  readonly kind: 'unguarded';
  /** The path. */
  readonly target: Bytes;
  /** False when it had none. */
  readonly changed: boolean;
  /** Mounts on it. */
  readonly layers: number;
}

/** All paths answered, or what they said does not mean that they are dead. */
export interface ProbedRecord {
  readonly kind: 'probed';
  /** How many were asked. */
  readonly paths: number;
  /** The first answer that tells neither way, such as EACCES. */
  readonly errno: string | null;
}

/** What answers at a path. */
export interface VerifiedRecord {
  readonly kind: 'verified';
  /** The path. */
  readonly path: Bytes;
  /** Device of the mount that holds it. */
  readonly device: string | null;
  /** Id of that mount. */
  readonly mountId: number | null;
  /** Directory of the file system that this mount shows. */
  readonly root: Bytes | null;
  /** Mounts whose mount point is exactly this path. */
  readonly layers: number;
  /** What statfs says. */
  readonly state: MountState;
  /** What statfs answered when dead or unseen. */
  readonly errno: string | null;
  /** Whether listing the directory, or reading a byte of the file, answered. */
  readonly read: boolean;
  /** Why not; null when it answered or hung. */
  readonly readErrno: string | null;
}

/** A layer was detached. */
export interface UnmountedRecord {
  readonly kind: 'unmounted';
  /** The path. */
  readonly path: Bytes;
  /** Its device. */
  readonly device: string;
  /** Its mount id. */
  readonly mountId: number;
  /** Mounts left on the path. */
  readonly layers: number;
}

/** An empty directory was removed. */
export interface RemovedRecord {
  readonly kind: 'removed';
  /** The path. */
  readonly path: Bytes;
}

/** The directory is there. */
export interface MadeRecord {
  readonly kind: 'made';
  /** The path. */
  readonly path: Bytes;
  /** False when it already was. */
  readonly made: boolean;
}

/** The volume belongs to the group. */
export interface OwnedRecord {
  readonly kind: 'owned';
  /** The path. */
  readonly path: Bytes;
  /** True when the root already matched and that was to be enough. */
  readonly skipped: boolean;
  /** Files and directories visited. */
  readonly visited: number;
  /** Those whose group or mode was changed. */
  readonly changed: number;
  /** False when the deadline or the limit came first, or some failed. */
  readonly complete: boolean;
  /** Those that could not be changed. */
  readonly failed: number;
  /** Why the first of these could not. */
  readonly errno: string | null;
}

/** Kubelet's bind of a subPath shows the repaired volume. */
export interface RebuiltRecord {
  readonly kind: 'rebuilt';
  /** The path. */
  readonly target: Bytes;
  /** Its device now. */
  readonly device: string;
  /** Directory or file of the file system that it shows. */
  readonly root: Bytes;
  /** Its mount id. */
  readonly mountId: number;
  /** Dead layers that were taken off. */
  readonly popped: number;
  /** Mounts on the path now. */
  readonly layers: number;
}

/** A running container sees the repaired mount. */
export interface SwappedRecord {
  readonly kind: 'swapped';
  /** The path in the container. */
  readonly target: Bytes;
  /** How it was done. */
  readonly mode: SwapMode;
  /** Why auto could not mount beneath. */
  readonly beneathErrno: string | null;
  /** All of it. */
  readonly microseconds: number;
  /** Microseconds from the move until the old mount was gone (beneath, top), or without any mount (detach). */
  readonly window: number;
  /** Device of the topmost mount now, as the container's namespace shows it. */
  readonly device: string;
  /** Directory of the file system that it shows. */
  readonly root: Bytes;
  /** Its mount id. */
  readonly mountId: number;
  /** Mounts on the target before. */
  readonly layersBefore: number;
  /** Mounts on the target now: 1, or 2 where one dead layer stays below (top). */
  readonly layersAfter: number;
  /** Dead layers below that were taken off. */
  readonly popped: number;
  /** Mounts inside the volume that were put back. */
  readonly nested: number;
  /** Peer group of the mount now. */
  readonly shared: number | null;
  /** Peer group it receives from now. */
  readonly master: number | null;
  /** Its flags now. */
  readonly options: Bytes;
  /** Whether a read in it answered; with --unlisted, opening it. */
  readonly read: boolean;
  /** Why not; null when it answered or hung. */
  readonly readErrno: string | null;
}

/** A FUSE connection was aborted: its mounts are dead now. */
export interface AbortedRecord {
  readonly kind: 'aborted';
  /** Its device. */
  readonly device: string;
  /** Requests that waited just before. */
  readonly waiting: number | null;
}

/** A line of kubelet's log that holds one of the texts, oldest first. */
export interface LogLineRecord {
  readonly kind: 'logLine';
  /** The line, at most 4096 bytes of it. */
  readonly line: Bytes;
  /** When it was written, seconds since 1970; null when it does not say. */
  readonly at: number | null;
}

/** Where kubelet's log was read, and how much of it. */
export interface LogCountsRecord {
  readonly kind: 'logCounts';
  /** Where its standard error goes; pipe: to a process that writes files. */
  readonly source: LogSource;
  /** The file as the process that writes it sees it, null for the journal. */
  readonly path: Bytes | null;
  /** Bytes that were read, the newest ones. */
  readonly scanned: number;
  /** True when older lines of this kubelet were left out. */
  readonly truncated: boolean;
}

/** Why there is no complete answer. */
export interface ErrorRecord {
  readonly kind: 'error';
  /** A stable word. */
  readonly code: ErrorCode;
  /** What the kernel answered, such as ENOENT. */
  readonly errno: string | null;
  /** What failed, in words. */
  readonly what: Bytes;
  /** The path in question. */
  readonly path: Bytes | null;
}

/** Last record; an answer without it was cut off. */
export interface EndRecord {
  readonly kind: 'end';
  /** Whether the answer is complete. */
  readonly ok: boolean;
  /** Records before this one. */
  readonly records: number;
}

export type AgentRecord =
  | HelloRecord
  | ProcessRecord
  | RootRecord
  | LimitsRecord
  | UsageRecord
  | WatchRecord
  | WatchesRecord
  | EntryRecord
  | EntriesRecord
  | HostRecord
  | DeliveryRecord
  | AnnouncedRecord
  | RenamedRecord
  | SignalledRecord
  | SystemctlRecord
  | RestartedRecord
  | JournalRecord
  | CoveredRecord
  | UnitRecord
  | NamespaceRecord
  | VolumeMountRecord
  | VolumeRecord
  | StagedRecord
  | SubpathRecord
  | BlockVolumeRecord
  | MountCountsRecord
  | HolderRecord
  | HolderCountsRecord
  | DaemonRecord
  | DaemonCountsRecord
  | GuardedRecord
  | ReleasedRecord
  | UnguardedRecord
  | ProbedRecord
  | VerifiedRecord
  | UnmountedRecord
  | RemovedRecord
  | MadeRecord
  | OwnedRecord
  | RebuiltRecord
  | SwappedRecord
  | AbortedRecord
  | LogLineRecord
  | LogCountsRecord
  | ErrorRecord
  | EndRecord;

/** Says hello. */
export interface VersionArguments {}

/** Reads all evidence about kubelet, its root, its watches and its plugin directory. */
export interface ObserveArguments {
  /** A kubelet root to look at besides the ones found. */
  readonly root?: readonly Bytes[] | undefined;
  /** Command names of a kubelet, comma separated. */
  readonly names?: readonly string[] | undefined;
}

/** Tests whether plugins_registry delivers its own events. Writes a dot-file. */
export interface ListenArguments {
  /** Process whose view of the file system is meant. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** Rounds of create, rename, unlink. */
  readonly rounds?: number | undefined;
}

/** Renames a socket to its dot-name and back, so that kubelet sees it appear. */
export interface AnnounceArguments {
  /** Process whose view of the file system is meant. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** Socket, relative to plugins_registry. */
  readonly name: Bytes;
}

/** Announces a socket in the directory that kubelet still watches beneath later mounts. */
export interface AnnounceHiddenArguments {
  /** The kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** Socket, relative to plugins_registry. */
  readonly name: Bytes;
  /** Inode of the orphaned watch. */
  readonly inode: string;
  /** MAJOR:MINOR of the orphaned watch. */
  readonly device: string;
}

/** Renames a socket that nobody listens on to a dot-name. */
export interface RetireArguments {
  /** Process whose view of the file system is meant. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** Socket, relative to plugins_registry. */
  readonly name: Bytes;
}

/** Gives a retired socket, or a lone dot-name of an interrupted announcement, its name back. */
export interface RestoreArguments {
  /** Process whose view of the file system is meant. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** The dot-name, relative to plugins_registry. */
  readonly name: Bytes;
}

/** Joins standard input and output to a unix socket. Writes no records; errors go to standard error. */
export interface TunnelArguments {
  /** Process whose view of the file system is meant. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** The socket. */
  readonly path: Bytes;
}

/** Ends one process, named by its id and start time. */
export interface EndProcessArguments {
  /** Process id. */
  readonly pid: number;
  /** Its start time. */
  readonly startTicks: string;
  /** Signal to send. */
  readonly signal?: Signal | undefined;
  /** Milliseconds to wait for its end. */
  readonly wait?: number | undefined;
}

/** Runs the host's systemctl. */
export interface SystemctlArguments {
  /** What to do. */
  readonly verb: Verb;
  /** Unit; required by every verb but daemon-reload. */
  readonly unit?: string | undefined;
  /** Properties to show. */
  readonly property?: readonly string[] | undefined;
  /** Go on when the caller is gone; the result goes to the journal. */
  readonly detach?: boolean | undefined;
  /** Journal to write to; required with detach. */
  readonly run?: string | undefined;
}

/** Restarts kubelet's unit, or ends its process for its supervisor to start again; waits for the new one. Goes on when the caller is gone. */
export interface RestartKubeletArguments {
  /** The kubelet. */
  readonly pid: number;
  /** Its start time. */
  readonly startTicks: string;
  /** Its systemd unit; without it the process is ended. */
  readonly unit?: string | undefined;
  /** Journal that gets the result too. */
  readonly run: string;
  /** Milliseconds to wait for the new kubelet. */
  readonly wait?: number | undefined;
}

/** Appends a line to a run's journal on the host and waits until it is stored. */
export interface JournalAppendArguments {
  /** The run. */
  readonly run: string;
  /** One JSON object. */
  readonly line: string;
}

/** Reads the journals. */
export interface JournalReadArguments {
  /** Only this run. */
  readonly run?: string | undefined;
}

/** Removes a run's journal. */
export interface JournalClearArguments {
  /** The run. */
  readonly run: string;
}

/** Mounts a tmpfs over plugins_registry, or takes ours off again. */
export interface CoverArguments {
  /** The kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** Take it off. */
  readonly undo?: boolean | undefined;
}

/** Writes or removes the mount unit that makes the cover last over a reboot. */
export interface UnitFileArguments {
  /** File name, ends in plugins_registry.mount. */
  readonly name: string;
  /** The whole file; its first line is the marker. */
  readonly content?: string | undefined;
  /** Remove it. */
  readonly remove?: boolean | undefined;
}

/** Reads all evidence about CSI volumes and about mounts that can die, in every mount namespace. Writes nothing. */
export interface MountsArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root. */
  readonly root: Bytes;
  /** Milliseconds that a file system has to answer. */
  readonly deadline?: number | undefined;
}

/** Finds the processes that hold something of a device open. Writes nothing. */
export interface HoldersArguments {
  /** MAJOR:MINOR. */
  readonly device: readonly string[];
}

/** Finds the processes that serve FUSE mounts, and which. Writes nothing. */
export interface DaemonsArguments {}

/** Takes the dead mounts of one volume off its paths so that a driver can publish again, then waits for commit or rollback on standard input. Goes on when the caller is gone. */
export interface ReplaceArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root; targets lie below it. */
  readonly root: Bytes;
  /** Journal that gets the result too. */
  readonly run: string;
  /** Publish target or staging path; the staging path last. */
  readonly target: readonly Bytes[];
  /** MAJOR:MINOR of the dead file systems; mounts of others are refused, so without any the targets must be bare. */
  readonly device?: readonly string[] | undefined;
  /** Do not make the bare directories immutable. */
  readonly noGuard?: boolean | undefined;
  /** Milliseconds to wait for the line. */
  readonly wait?: number | undefined;
  /** Milliseconds that a file system has to answer. */
  readonly deadline?: number | undefined;
}

/** Takes a left-over immutable flag off a publish target or staging path, also beneath a mount. */
export interface UnguardArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root; the target lies below it. */
  readonly root: Bytes;
  /** Publish target or staging path. */
  readonly target: Bytes;
}

/** Says what answers at a path. */
export interface VerifyArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** The path. */
  readonly path: Bytes;
  /** Milliseconds that a file system has to answer. */
  readonly deadline?: number | undefined;
}

/** Detaches exactly one mount, the topmost on its path. */
export interface UnmountArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** The path. */
  readonly path: Bytes;
  /** Its MAJOR:MINOR. */
  readonly device: string;
  /** Its mount id. */
  readonly mountId: number;
  /** It may be alive. */
  readonly planned?: boolean | undefined;
}

/** Removes an empty directory; refuses mounts and all else. */
export interface RemoveEmptyArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** The directory. */
  readonly path: Bytes;
  /** Empty directories inside it first, the deepest first; no file and no mount. */
  readonly below?: boolean | undefined;
}

/** Makes a directory below kubelet's plugins, with those above it that are missing; one that is there stays as it is. */
export interface MakeDirectoryArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root; the directory lies below plugins in it. */
  readonly root: Bytes;
  /** The directory. */
  readonly path: Bytes;
}

/** Gives a volume to a group as kubelet does for fsGroup. */
export interface OwnArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** The publish target. */
  readonly path: Bytes;
  /** The group. */
  readonly gid: number;
  /** The volume is published read-only: bits for reading only. */
  readonly readOnly?: boolean | undefined;
  /** Do nothing when the volume's root already matches. */
  readonly onRootMismatch?: boolean | undefined;
  /** Milliseconds for all of it. */
  readonly deadline?: number | undefined;
}

/** Rebuilds kubelet's bind of a subPath from the repaired volume. */
export interface SubpathArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** Kubelet root; the target lies below it. */
  readonly root: Bytes;
  /** ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX. */
  readonly target: Bytes;
  /** The volume's repaired publish target. */
  readonly from: Bytes;
  /** The subPath, relative to the volume. */
  readonly sub: Bytes;
  /** MAJOR:MINOR of the dead mounts on the target; without it nothing may be mounted there. */
  readonly device?: string | undefined;
}

/** Replaces a mount in a running container by the repaired one. */
export interface SwapArguments {
  /** Process in whose mount namespace the repaired mount is: the kubelet. */
  readonly at: number;
  /** A process of the container. */
  readonly pid: number;
  /** Its start time. */
  readonly startTicks: string;
  /** Inode of its mount namespace. */
  readonly namespace: string;
  /** Mount point, as that process sees it. */
  readonly target: Bytes;
  /** Id of the mount to replace, the topmost on the target. */
  readonly mountId: number;
  /** Its MAJOR:MINOR. */
  readonly device: string;
  /** The repaired mount, as the process of --at sees it. */
  readonly from: Bytes;
  /** MAJOR:MINOR of the repaired mount. */
  readonly fromDevice: string;
  /** Directory or file in the repaired mount to show; without it that of the old mount's root. */
  readonly sub?: Bytes | undefined;
  /** Show the repaired mount's own root whatever the old mount's root was: for a container bound to the bare directory. */
  readonly whole?: boolean | undefined;
  /** How; all but auto is for tests and old kernels. */
  readonly mode?: SwapMode | undefined;
  /** Flags of the new mount (ro, nosuid, ...) instead of the old one's. */
  readonly options?: readonly string[] | undefined;
  /** Propagation of the new mount; keep: that of the old one. */
  readonly propagation?: Propagation | undefined;
  /** The old mount is alive: a handover, or a container on the bare directory. Exactly the mount of --mount-id and --device is replaced, and nothing else is taken off. */
  readonly planned?: boolean | undefined;
  /** Afterwards open what is mounted, and do not list or read it: other containers still change files through the old mount. */
  readonly unlisted?: boolean | undefined;
  /** Go on when a mount inside the volume can't be put back. */
  readonly loseNested?: boolean | undefined;
  /** Milliseconds for all of it. */
  readonly deadline?: number | undefined;
}

/** Aborts a hung FUSE connection. */
export interface AbortArguments {
  /** Process whose view of the file system is meant: the kubelet. */
  readonly at: number;
  /** Its start time; refused when it differs. */
  readonly startTicks?: string | undefined;
  /** MAJOR:MINOR of one of its mounts. */
  readonly device: string;
  /** Although it answers. */
  readonly force?: boolean | undefined;
  /** Milliseconds that it has to answer. */
  readonly deadline?: number | undefined;
}

/** Finds texts in the log of a running kubelet, wherever its standard error goes. Writes nothing. */
export interface KubeletLogArguments {
  /** The kubelet. */
  readonly pid: number;
  /** Its start time. */
  readonly startTicks: string;
  /** A text; a line with any of them counts. */
  readonly match: readonly string[];
  /** Lines to write, the newest. */
  readonly lines?: number | undefined;
  /** Milliseconds for all of it. */
  readonly deadline?: number | undefined;
}

/** Answers many commands on one connection: each line of standard input is a command line, words separated by a space. A command that waits for a word on its standard input is begun by `+ID COUNT KIND COMMAND...`, which is answered until so many records of the kind are written; `=ID WORD` says the word and brings the rest, other lines may come between. */
export interface ServeArguments {}

/** Asks whether what is mounted at paths of its own container answers: the command of a liveness probe. Needs no right. Exit code 1 when one is dead, hung or absent; those behind it are not asked then. */
export interface ProbeArguments {
  /** A path; outer ones before those nested in them. */
  readonly path: readonly Bytes[];
  /** Milliseconds for all of them. */
  readonly deadline?: number | undefined;
}

/** Keeps a session open. */
export interface HoldArguments {
  /** How long. */
  readonly seconds: number;
}

/** Command lines of the agent, one builder per command; paths are percent-encoded. */
export const agentArgs = {
  /** Says hello. */
  version: (given: VersionArguments = {}): string[] => commandLine('version', given),
  /** Reads all evidence about kubelet, its root, its watches and its plugin directory. */
  observe: (given: ObserveArguments = {}): string[] => commandLine('observe', given),
  /** Tests whether plugins_registry delivers its own events. Writes a dot-file. */
  listen: (given: ListenArguments): string[] => commandLine('listen', given),
  /** Renames a socket to its dot-name and back, so that kubelet sees it appear. */
  announce: (given: AnnounceArguments): string[] => commandLine('announce', given),
  /** Announces a socket in the directory that kubelet still watches beneath later mounts. */
  announceHidden: (given: AnnounceHiddenArguments): string[] => commandLine('announce-hidden', given),
  /** Renames a socket that nobody listens on to a dot-name. */
  retire: (given: RetireArguments): string[] => commandLine('retire', given),
  /** Gives a retired socket, or a lone dot-name of an interrupted announcement, its name back. */
  restore: (given: RestoreArguments): string[] => commandLine('restore', given),
  /** Joins standard input and output to a unix socket. Writes no records; errors go to standard error. */
  tunnel: (given: TunnelArguments): string[] => commandLine('tunnel', given),
  /** Ends one process, named by its id and start time. */
  endProcess: (given: EndProcessArguments): string[] => commandLine('end-process', given),
  /** Runs the host's systemctl. */
  systemctl: (given: SystemctlArguments): string[] => commandLine('systemctl', given),
  /** Restarts kubelet's unit, or ends its process for its supervisor to start again; waits for the new one. Goes on when the caller is gone. */
  restartKubelet: (given: RestartKubeletArguments): string[] => commandLine('restart-kubelet', given),
  /** Appends a line to a run's journal on the host and waits until it is stored. */
  journalAppend: (given: JournalAppendArguments): string[] => commandLine('journal-append', given),
  /** Reads the journals. */
  journalRead: (given: JournalReadArguments = {}): string[] => commandLine('journal-read', given),
  /** Removes a run's journal. */
  journalClear: (given: JournalClearArguments): string[] => commandLine('journal-clear', given),
  /** Mounts a tmpfs over plugins_registry, or takes ours off again. */
  cover: (given: CoverArguments): string[] => commandLine('cover', given),
  /** Writes or removes the mount unit that makes the cover last over a reboot. */
  unitFile: (given: UnitFileArguments): string[] => commandLine('unit-file', given),
  /** Reads all evidence about CSI volumes and about mounts that can die, in every mount namespace. Writes nothing. */
  mounts: (given: MountsArguments): string[] => commandLine('mounts', given),
  /** Finds the processes that hold something of a device open. Writes nothing. */
  holders: (given: HoldersArguments): string[] => commandLine('holders', given),
  /** Finds the processes that serve FUSE mounts, and which. Writes nothing. */
  daemons: (given: DaemonsArguments = {}): string[] => commandLine('daemons', given),
  /** Takes the dead mounts of one volume off its paths so that a driver can publish again, then waits for commit or rollback on standard input. Goes on when the caller is gone. */
  replace: (given: ReplaceArguments): string[] => commandLine('replace', given),
  /** Takes a left-over immutable flag off a publish target or staging path, also beneath a mount. */
  unguard: (given: UnguardArguments): string[] => commandLine('unguard', given),
  /** Says what answers at a path. */
  verify: (given: VerifyArguments): string[] => commandLine('verify', given),
  /** Detaches exactly one mount, the topmost on its path. */
  unmount: (given: UnmountArguments): string[] => commandLine('unmount', given),
  /** Removes an empty directory; refuses mounts and all else. */
  removeEmpty: (given: RemoveEmptyArguments): string[] => commandLine('remove-empty', given),
  /** Makes a directory below kubelet's plugins, with those above it that are missing; one that is there stays as it is. */
  makeDirectory: (given: MakeDirectoryArguments): string[] => commandLine('make-directory', given),
  /** Gives a volume to a group as kubelet does for fsGroup. */
  own: (given: OwnArguments): string[] => commandLine('own', given),
  /** Rebuilds kubelet's bind of a subPath from the repaired volume. */
  subpath: (given: SubpathArguments): string[] => commandLine('subpath', given),
  /** Replaces a mount in a running container by the repaired one. */
  swap: (given: SwapArguments): string[] => commandLine('swap', given),
  /** Aborts a hung FUSE connection. */
  abort: (given: AbortArguments): string[] => commandLine('abort', given),
  /** Finds texts in the log of a running kubelet, wherever its standard error goes. Writes nothing. */
  kubeletLog: (given: KubeletLogArguments): string[] => commandLine('kubelet-log', given),
  /** Answers many commands on one connection: each line of standard input is a command line, words separated by a space. A command that waits for a word on its standard input is begun by `+ID COUNT KIND COMMAND...`, which is answered until so many records of the kind are written; `=ID WORD` says the word and brings the rest, other lines may come between. */
  serve: (given: ServeArguments = {}): string[] => commandLine('serve', given),
  /** Asks whether what is mounted at paths of its own container answers: the command of a liveness probe. Needs no right. Exit code 1 when one is dead, hung or absent; those behind it are not asked then. */
  probe: (given: ProbeArguments): string[] => commandLine('probe', given),
  /** Keeps a session open. */
  hold: (given: HoldArguments): string[] => commandLine('hold', given),
} as const;

const ENUMS: Readonly<Record<string, readonly string[]>> = {"presence":["present","absent","not-directory","hung","unreadable"],"origin":["flag","default","hint"],"entryType":["socket","directory","file","symlink","other","unreadable"],"connection":["accepted","refused","failed","hung"],"verb":["show","is-active","restart","start","stop","enable","disable","daemon-reload"],"signal":["TERM","KILL"],"announcement":["announced","restored"],"mountState":["alive","dead","hung","unseen","hidden"],"mountPresence":["mounted","bare","file","absent","unseen"],"decision":["commit","rollback","look"],"release":["committed","restored","left"],"propagation":["keep","private","slave","shared"],"swapMode":["auto","beneath","top","detach"],"logSource":["file","pipe","journal"],"errorCode":["usage","no-process","no-access","not-found","not-socket","symlink","in-use","exists","changed","no-layer","not-ours","already","alive","unseen","mounted","not-empty","dead","hung","too-large","unsupported","system","internal"]};
const TYPES: Readonly<Record<string, readonly Field[]>> = {"mount":[{"name":"id","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"parent","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"root","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"mountPoint","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"options","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"shared","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"master","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"fsType","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"source","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"superOptions","base":"bytes","form":"scalar","nullable":false,"array":false}],"directory":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"state","base":"presence","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"realPath","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"inode","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"device","base":"text","form":"scalar","nullable":true,"array":false},{"name":"mode","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"born","base":"int","form":"scalar","nullable":true,"array":false},{"name":"mount","base":"mount","form":"struct","nullable":true,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":true,"array":false}],"peer":[{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"comm","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"cgroup","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"startTicks","base":"u64","form":"scalar","nullable":true,"array":false}]};
const RECORDS: Readonly<Record<string, readonly Field[]>> = {"hello":[{"name":"agent","base":"text","form":"scalar","nullable":false,"array":false},{"name":"arch","base":"text","form":"scalar","nullable":false,"array":false},{"name":"kernel","base":"text","form":"scalar","nullable":false,"array":false},{"name":"bootId","base":"text","form":"scalar","nullable":true,"array":false},{"name":"uptime","base":"uint","form":"scalar","nullable":false,"array":false}],"process":[{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"ppid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"parentComm","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"parentArgv","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"comm","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"exe","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"argv","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"cgroup","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"startTicks","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"startedAt","base":"int","form":"scalar","nullable":false,"array":false},{"name":"uid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"mountNamespace","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"hostMountNamespace","base":"u64","form":"scalar","nullable":true,"array":false}],"root":[{"name":"at","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"kubelet","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"origin","base":"origin","form":"enum","nullable":false,"array":false},{"name":"directory","base":"directory","form":"struct","nullable":false,"array":false},{"name":"registry","base":"directory","form":"struct","nullable":false,"array":false}],"limits":[{"name":"maxUserInstances","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"maxUserWatches","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"maxQueuedEvents","base":"uint","form":"scalar","nullable":true,"array":false}],"usage":[{"name":"uid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"instances","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"watches","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"processes","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"unreadable","base":"uint","form":"scalar","nullable":false,"array":false}],"watch":[{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"fd","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"wd","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"inode","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"mask","base":"uint","form":"scalar","nullable":false,"array":false}],"watches":[{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"readable","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"instances","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"watches","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"truncated","base":"bool","form":"scalar","nullable":false,"array":false}],"entry":[{"name":"at","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"root","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"name","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"hidden","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"type","base":"entryType","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"inode","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"device","base":"text","form":"scalar","nullable":true,"array":false},{"name":"mode","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"uid","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"mtime","base":"int","form":"scalar","nullable":true,"array":false},{"name":"connection","base":"connection","form":"enum","nullable":true,"array":false},{"name":"connectErrno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"peer","base":"peer","form":"struct","nullable":true,"array":false}],"entries":[{"name":"at","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"root","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"count","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"state","base":"presence","form":"enum","nullable":false,"array":false},{"name":"truncated","base":"bool","form":"scalar","nullable":false,"array":false}],"host":[{"name":"osId","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"osVersion","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"osName","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"init","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"systemd","base":"bool","form":"scalar","nullable":true,"array":false},{"name":"selinux","base":"text","form":"scalar","nullable":true,"array":false},{"name":"apparmor","base":"bool","form":"scalar","nullable":true,"array":false},{"name":"fuse","base":"bool","form":"scalar","nullable":true,"array":false}],"delivery":[{"name":"rounds","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"sent","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"delivered","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"overflowed","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"slowest","base":"uint","form":"scalar","nullable":false,"array":false}],"announced":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"inode","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"action","base":"announcement","form":"enum","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false}],"renamed":[{"name":"from","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"to","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"inode","base":"u64","form":"scalar","nullable":false,"array":false}],"signalled":[{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"ended","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"waited","base":"uint","form":"scalar","nullable":false,"array":false}],"systemctl":[{"name":"exitCode","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"output","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"truncated","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"detached","base":"bool","form":"scalar","nullable":false,"array":false}],"restarted":[{"name":"oldPid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"startTicks","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"waited","base":"uint","form":"scalar","nullable":false,"array":false}],"journal":[{"name":"run","base":"text","form":"scalar","nullable":false,"array":false},{"name":"line","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"complete","base":"bool","form":"scalar","nullable":false,"array":false}],"covered":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"covered","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false}],"unit":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"present","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"changed","base":"bool","form":"scalar","nullable":false,"array":false}],"namespace":[{"name":"inode","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"startTicks","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"comm","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"cgroup","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"userNamespace","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"hostUserNamespace","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"isHost","base":"bool","form":"scalar","nullable":false,"array":false}],"volumeMount":[{"name":"namespace","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"mount","base":"mount","form":"struct","nullable":false,"array":false},{"name":"deleted","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"position","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"state","base":"mountState","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"waiting","base":"uint","form":"scalar","nullable":true,"array":false}],"volume":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"podUid","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"specName","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"volData","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"mount","base":"mountPresence","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"guarded","base":"bool","form":"scalar","nullable":true,"array":false},{"name":"files","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"truncated","base":"bool","form":"scalar","nullable":false,"array":false}],"staged":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"driver","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"hash","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"volData","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"mount","base":"mountPresence","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"guarded","base":"bool","form":"scalar","nullable":true,"array":false}],"subpath":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"podUid","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"volume","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"container","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"index","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"mount","base":"mountPresence","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false}],"blockVolume":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"podUid","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"specName","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"mount","base":"mountPresence","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false}],"mountCounts":[{"name":"namespaces","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"processes","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"unreadable","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"mounts","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"truncated","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"milliseconds","base":"uint","form":"scalar","nullable":false,"array":false}],"holder":[{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"startTicks","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"comm","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"cgroup","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"descriptors","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"workingDirectory","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"rootDirectory","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"mappings","base":"uint","form":"scalar","nullable":false,"array":false}],"holderCounts":[{"name":"processes","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"unreadable","base":"uint","form":"scalar","nullable":false,"array":false}],"daemon":[{"name":"pid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"startTicks","base":"u64","form":"scalar","nullable":false,"array":false},{"name":"ppid","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"comm","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"cgroup","base":"bytes","form":"scalar","nullable":false,"array":true},{"name":"pidNamespace","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"hostPidNamespace","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"mountNamespace","base":"u64","form":"scalar","nullable":true,"array":false},{"name":"device","base":"text","form":"scalar","nullable":true,"array":false},{"name":"descriptors","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"named","base":"text","form":"scalar","nullable":false,"array":true}],"daemonCounts":[{"name":"processes","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"unreadable","base":"uint","form":"scalar","nullable":false,"array":false}],"guarded":[{"name":"target","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"guarded","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"fsType","base":"bytes","form":"scalar","nullable":true,"array":false}],"released":[{"name":"target","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"decision","base":"decision","form":"enum","nullable":false,"array":false},{"name":"outcome","base":"release","form":"enum","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":true,"array":false},{"name":"guarded","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"reason","base":"bytes","form":"scalar","nullable":true,"array":false}],"unguarded":[{"name":"target","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"changed","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false}],"probed":[{"name":"paths","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false}],"verified":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":true,"array":false},{"name":"mountId","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"root","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"state","base":"mountState","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"read","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"readErrno","base":"text","form":"scalar","nullable":true,"array":false}],"unmounted":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"mountId","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false}],"removed":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false}],"made":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"made","base":"bool","form":"scalar","nullable":false,"array":false}],"owned":[{"name":"path","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"skipped","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"visited","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"changed","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"complete","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"failed","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false}],"rebuilt":[{"name":"target","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"root","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"mountId","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"popped","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"layers","base":"uint","form":"scalar","nullable":false,"array":false}],"swapped":[{"name":"target","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"mode","base":"swapMode","form":"enum","nullable":false,"array":false},{"name":"beneathErrno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"microseconds","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"window","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"root","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"mountId","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"layersBefore","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"layersAfter","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"popped","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"nested","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"shared","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"master","base":"uint","form":"scalar","nullable":true,"array":false},{"name":"options","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"read","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"readErrno","base":"text","form":"scalar","nullable":true,"array":false}],"aborted":[{"name":"device","base":"text","form":"scalar","nullable":false,"array":false},{"name":"waiting","base":"uint","form":"scalar","nullable":true,"array":false}],"logLine":[{"name":"line","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"at","base":"int","form":"scalar","nullable":true,"array":false}],"logCounts":[{"name":"source","base":"logSource","form":"enum","nullable":false,"array":false},{"name":"path","base":"bytes","form":"scalar","nullable":true,"array":false},{"name":"scanned","base":"uint","form":"scalar","nullable":false,"array":false},{"name":"truncated","base":"bool","form":"scalar","nullable":false,"array":false}],"error":[{"name":"code","base":"errorCode","form":"enum","nullable":false,"array":false},{"name":"errno","base":"text","form":"scalar","nullable":true,"array":false},{"name":"what","base":"bytes","form":"scalar","nullable":false,"array":false},{"name":"path","base":"bytes","form":"scalar","nullable":true,"array":false}],"end":[{"name":"ok","base":"bool","form":"scalar","nullable":false,"array":false},{"name":"records","base":"uint","form":"scalar","nullable":false,"array":false}]};
const COMMANDS: Readonly<Record<string, readonly Argument[]>> = {"version":[],"observe":[{"flag":"--root","key":"root","type":"path"},{"flag":"--names","key":"names","type":"words"}],"listen":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--rounds","key":"rounds","type":"uint"}],"announce":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--name","key":"name","type":"name"}],"announce-hidden":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--name","key":"name","type":"name"},{"flag":"--inode","key":"inode","type":"u64"},{"flag":"--device","key":"device","type":"device"}],"retire":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--name","key":"name","type":"name"}],"restore":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--name","key":"name","type":"name"}],"tunnel":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--path","key":"path","type":"path"}],"end-process":[{"flag":"--pid","key":"pid","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--signal","key":"signal","type":"signal"},{"flag":"--wait","key":"wait","type":"uint"}],"systemctl":[{"flag":"--verb","key":"verb","type":"verb"},{"flag":"--unit","key":"unit","type":"unit"},{"flag":"--property","key":"property","type":"word"},{"flag":"--detach","key":"detach","type":"flag"},{"flag":"--run","key":"run","type":"word"}],"restart-kubelet":[{"flag":"--pid","key":"pid","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--unit","key":"unit","type":"unit"},{"flag":"--run","key":"run","type":"word"},{"flag":"--wait","key":"wait","type":"uint"}],"journal-append":[{"flag":"--run","key":"run","type":"word"},{"flag":"--line","key":"line","type":"text"}],"journal-read":[{"flag":"--run","key":"run","type":"word"}],"journal-clear":[{"flag":"--run","key":"run","type":"word"}],"cover":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--undo","key":"undo","type":"flag"}],"unit-file":[{"flag":"--name","key":"name","type":"unit"},{"flag":"--content","key":"content","type":"text"},{"flag":"--remove","key":"remove","type":"flag"}],"mounts":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--deadline","key":"deadline","type":"uint"}],"holders":[{"flag":"--device","key":"device","type":"device"}],"daemons":[],"replace":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--run","key":"run","type":"word"},{"flag":"--target","key":"target","type":"path"},{"flag":"--device","key":"device","type":"device"},{"flag":"--no-guard","key":"noGuard","type":"flag"},{"flag":"--wait","key":"wait","type":"uint"},{"flag":"--deadline","key":"deadline","type":"uint"}],"unguard":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--target","key":"target","type":"path"}],"verify":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--path","key":"path","type":"path"},{"flag":"--deadline","key":"deadline","type":"uint"}],"unmount":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--path","key":"path","type":"path"},{"flag":"--device","key":"device","type":"device"},{"flag":"--mount-id","key":"mountId","type":"uint"},{"flag":"--planned","key":"planned","type":"flag"}],"remove-empty":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--path","key":"path","type":"path"},{"flag":"--below","key":"below","type":"flag"}],"make-directory":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--path","key":"path","type":"path"}],"own":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--path","key":"path","type":"path"},{"flag":"--gid","key":"gid","type":"uint"},{"flag":"--read-only","key":"readOnly","type":"flag"},{"flag":"--on-root-mismatch","key":"onRootMismatch","type":"flag"},{"flag":"--deadline","key":"deadline","type":"uint"}],"subpath":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--root","key":"root","type":"path"},{"flag":"--target","key":"target","type":"path"},{"flag":"--from","key":"from","type":"path"},{"flag":"--sub","key":"sub","type":"name"},{"flag":"--device","key":"device","type":"device"}],"swap":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--pid","key":"pid","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--namespace","key":"namespace","type":"u64"},{"flag":"--target","key":"target","type":"path"},{"flag":"--mount-id","key":"mountId","type":"uint"},{"flag":"--device","key":"device","type":"device"},{"flag":"--from","key":"from","type":"path"},{"flag":"--from-device","key":"fromDevice","type":"device"},{"flag":"--sub","key":"sub","type":"name"},{"flag":"--whole","key":"whole","type":"flag"},{"flag":"--mode","key":"mode","type":"swapMode"},{"flag":"--options","key":"options","type":"words"},{"flag":"--propagation","key":"propagation","type":"propagation"},{"flag":"--planned","key":"planned","type":"flag"},{"flag":"--unlisted","key":"unlisted","type":"flag"},{"flag":"--lose-nested","key":"loseNested","type":"flag"},{"flag":"--deadline","key":"deadline","type":"uint"}],"abort":[{"flag":"--at","key":"at","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--device","key":"device","type":"device"},{"flag":"--force","key":"force","type":"flag"},{"flag":"--deadline","key":"deadline","type":"uint"}],"kubelet-log":[{"flag":"--pid","key":"pid","type":"pid"},{"flag":"--start-ticks","key":"startTicks","type":"u64"},{"flag":"--match","key":"match","type":"text"},{"flag":"--lines","key":"lines","type":"uint"},{"flag":"--deadline","key":"deadline","type":"uint"}],"serve":[],"probe":[{"flag":"--path","key":"path","type":"path"},{"flag":"--deadline","key":"deadline","type":"uint"}],"hold":[{"flag":"--seconds","key":"seconds","type":"uint"}]};

/**
 * A byte string of the node: a path, an argument. Valid UTF-8 stands as it is; any other byte 0xNN is the
 * lone surrogate U+DCNN, so that nothing is lost.
 */
export type Bytes = string;

interface Field {
  readonly name: string;
  readonly base: string;
  readonly form: string;
  readonly nullable: boolean;
  readonly array: boolean;
}

interface Argument {
  readonly flag: string;
  readonly key: string;
  readonly type: string;
}

/** The agent's answer can't be understood: cut off, garbled, or from another version. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/**
 * Reads one line of the agent's output.
 * @throws {ProtocolError} on anything that this version of the protocol does not define
 */
export function decodeRecord(line: string): AgentRecord {
  const value = parseObject(line);
  if (value.v !== PROTOCOL_VERSION) {
    throw new ProtocolError(`the agent speaks version ${show(value.v)}, this program version ${PROTOCOL_VERSION}`);
  }
  const fields = typeof value.kind === 'string' && Object.hasOwn(RECORDS, value.kind) ? RECORDS[value.kind] : undefined;
  if (fields === undefined) throw new ProtocolError(`unknown kind of record: ${show(value.kind)}`);
  const { v: _version, kind, ...members } = value;
  return { kind, ...decodeFields(String(kind), fields, members) } as unknown as AgentRecord;
}

/**
 * Reads a whole answer and checks that nothing of it is missing.
 * @returns all records but the last; `ok` is false when an error record says why the answer is not complete
 * @throws {ProtocolError} when the end record is missing, not last, or counts other records than arrived
 */
export function decodeAnswer(text: string): { readonly ok: boolean; readonly records: readonly AgentRecord[] } {
  const records = text.split('\n').filter((line) => line !== '').map(decodeRecord);
  const end = records.pop();
  if (end?.kind !== 'end') throw new ProtocolError('the answer of the agent was cut off');
  if (end.records !== records.length) {
    throw new ProtocolError(`the agent wrote ${end.records} records, ${records.length} arrived`);
  }
  return { ok: end.ok, records };
}

/** The bytes that a byte string stands for. */
export function toBuffer(bytes: Bytes): Buffer {
  const parts = bytes.split(/([\udc80-\udcff])(?<![\ud800-\udbff].)/);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.from([part.charCodeAt(0) & 0xff]) : Buffer.from(part))),
  );
}

/** The byte string that stands for these bytes. */
export function fromBuffer(buffer: Uint8Array): Bytes {
  let text = '';
  for (let start = 0; start < buffer.length; ) {
    const length = sequenceLength(buffer, start);
    text +=
      length > 0
        ? Buffer.from(buffer.subarray(start, start + length)).toString('utf8')
        : String.fromCharCode(0xdc00 | (buffer[start] ?? 0));
    start += Math.max(length, 1);
  }
  return text;
}

/** Writes every byte outside `A-Za-z0-9/._~-` as %NN, as the agent wants its paths and texts. */
export function percentEncode(bytes: Bytes): string {
  return toBuffer(bytes)
    .toString('latin1')
    .replace(/[^A-Za-z0-9/._~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
}

function sequenceLength(buffer: Uint8Array, start: number): number {
  const lead = buffer[start] ?? 0;
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  const sequence = buffer.subarray(start, start + length);
  const valid = sequence.length === length && length > 0 && new TextDecoder().decode(sequence).length <= 2;
  return valid && Buffer.from(Buffer.from(sequence).toString('utf8')).equals(Buffer.from(sequence)) ? length : 0;
}

function commandLine(command: string, given: object): string[] {
  const values = given as Readonly<Record<string, unknown>>;
  const words = (COMMANDS[command] ?? []).flatMap(({ flag, key, type }) => {
    const value = values[key];
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    if (type === 'words') return [flag, (value as readonly string[]).join(',')];
    const encode = ['path', 'name', 'text'].includes(type) ? percentEncode : String;
    return (Array.isArray(value) ? value : [value]).flatMap((item) => [flag, encode(item)]);
  });
  return [command, ...words];
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {}
  throw new ProtocolError(`not a record of the agent: ${show(line)}`);
}

function decodeFields(owner: string, fields: readonly Field[], members: object): Readonly<Record<string, unknown>> {
  const known = new Set(fields.map(({ name }) => name));
  const extra = Object.keys(members).find((name) => !known.has(name));
  if (extra !== undefined) throw new ProtocolError(`${owner}: unknown field ${extra}`);
  return Object.fromEntries(
    fields.map((field) => [field.name, decodeField(`${owner}.${field.name}`, field, Reflect.get(members, field.name))]),
  );
}

function decodeField(path: string, field: Field, value: unknown): unknown {
  if (value === undefined) throw new ProtocolError(`${path} is missing`);
  if (value === null && field.nullable) return null;
  if (!field.array) return decodeValue(path, field, value);
  if (!Array.isArray(value)) throw wrongType(path, 'an array', value);
  return value.map((item, index) => decodeValue(`${path}[${index}]`, field, item));
}

function decodeValue(path: string, { base, form }: Field, value: unknown): unknown {
  if (form === 'struct') {
    if (typeof value !== 'object' || value === null) throw wrongType(path, 'an object', value);
    return decodeFields(path, TYPES[base] ?? [], value);
  }
  if (form === 'enum') {
    const values = ENUMS[base] ?? [];
    if (!values.includes(value as string)) throw wrongType(path, values.join(' or '), value);
    return value;
  }
  const check = CHECKS[base];
  if (check === undefined || !check.accepts(value)) throw wrongType(path, check?.words ?? base, value);
  return value;
}

const CHECKS: Readonly<Record<string, { readonly words: string; accepts(value: unknown): boolean }>> = {
  text: { words: 'a string', accepts: (value) => typeof value === 'string' },
  bytes: { words: 'a string', accepts: (value) => typeof value === 'string' },
  uint: { words: 'a whole number', accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  int: { words: 'a whole number', accepts: (value) => Number.isSafeInteger(value) },
  u64: { words: 'a decimal string', accepts: (value) => typeof value === 'string' && /^\d{1,20}$/.test(value) },
  bool: { words: 'true or false', accepts: (value) => typeof value === 'boolean' },
};

function wrongType(path: string, words: string, value: unknown): ProtocolError {
  return new ProtocolError(`${path} must be ${words}, not ${show(value)}`);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 120);
}
