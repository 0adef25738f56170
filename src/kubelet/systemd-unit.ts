/** The path of systemd's own hierarchy in /proc/PID/cgroup: `0::` on cgroup v2, `name=systemd` on v1. */
const systemdPath = /^\d+:(?:name=systemd)?:(.*)$/;

/**
 * The unit in whose cgroup a process is: `/system.slice/kubelet.service`. Units of users lie below `user@UID.service`,
 * so the last one counts. `init.scope` is PID 1's own.
 * @param cgroups lines of /proc/PID/cgroup
 */
export const unitIn = (cgroups: readonly string[]) =>
  cgroups
    .map((line) =>
      systemdPath
        .exec(line)?.[1]
        ?.split('/')
        .findLast((part) => /\.(service|scope)$/.test(part) && part !== 'init.scope'),
    )
    .find((unit) => unit !== undefined);
