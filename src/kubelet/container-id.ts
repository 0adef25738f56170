/** A container's cgroup ends in the 64 hex digits of its id, with a runtime's prefix and `.scope` or without. */
const pattern = /[0-9a-f]{64}/g;

/** @param cgroup lines of /proc/PID/cgroup. @returns undefined for a process outside a container */
export const containerIdIn = (cgroup: readonly string[]) =>
  cgroup.flatMap((line) => line.match(pattern) ?? []).at(-1);

/** The runtime's id as a container status has it, without `containerd://`. */
export const plainContainerId = (id: string) => id.replace(/^.*:\/\//, '');
