import type { CsiMount } from '../../model/workload.ts';
import type { ContainerMount } from './asking.ts';

/**
 * Why a path is a hard NFS mount, or may be one: it waits for its server for ever (nfs(5), `hard` is the default), and
 * a probe on it leaves processes that nothing can end. The container's own mountinfo decides; without it the driver's
 * name and the mount options.
 */
export function hardNfs(
  { path, volume }: CsiMount,
  mounts: readonly ContainerMount[] | undefined,
): string | undefined {
  const mounted = mounts?.findLast((each) => each.path === path);
  if (mounted)
    return /^nfs/.test(mounted.fsType) && !isSoft(mounted.superOptions.split(','))
      ? `${path} is ${mounted.fsType}, mounted hard`
      : undefined;
  const driver = volume.driver.seen ? volume.driver.value : '';
  return /nfs|efs\.csi|filestore|vpc-file/.test(driver) && !isSoft(volume.mountOptions)
    ? `${path} is of ${driver}, whose mounts are hard unless they say soft`
    : undefined;
}

const isSoft = (options: readonly string[]) => options.some((option) => /^soft(err|reval)?$/.test(option));
