/** The processes of one node that serve FUSE mounts. */
export interface DaemonEvidence {
  readonly daemons: readonly FuseDaemon[];
  /** Processes that could not be looked into: what they serve is missing here. */
  readonly unreadable: number;
}

/** A process that holds /dev/fuse open, once for each connection. */
export interface FuseDaemon {
  readonly pid: number;
  readonly startTicks: string;
  readonly parent: number;
  readonly command: string;
  /** Lines of /proc/PID/cgroup. */
  readonly cgroups: readonly string[];
  /** Found in its cgroup path; absent outside a container. */
  readonly containerId?: string;
  /** Whether it is in PID 1's PID namespace; absent where that could not be told. */
  readonly hostPids?: boolean;
  /** MAJOR:MINOR of the mounts that it serves; absent where the kernel does not say, or it serves none. */
  readonly device?: string;
  /** Devices of FUSE mounts whose mount point its command line names. */
  readonly named: readonly string[];
}
