import type { ContainerMountView, NodeView, VolumeView } from '../../diagnose/view.ts';
import { evidenceOf, ourMounts } from './places.ts';
import { isFuse, nameOf, type RestartOptions, volumesOn } from './way.ts';

/** What would die with the driver and could not be brought back, or not be known to be dead. */
export function doubtOf(node: NodeView, options: RestartOptions): string | undefined {
  if (!node.volumes.seen) return node.volumes.why;
  for (const volume of volumesOn(node, options.driver).filter(isFuse)) {
    if (volume.state === 'unseen' || volume.state === 'hung')
      return `${nameOf(volume)} ${volume.state === 'hung' ? 'does not answer' : 'gives an answer that proves nothing'}: it could not be carried, nor be known to be dead afterwards; --force restarts anyway`;
    const container = volume.state === 'alive' && lostContainer(node, volume, options);
    if (container)
      return `${container} for ${nameOf(volume)}: it could not be carried; --force restarts anyway`;
  }
  return undefined;
}

/**
 * Before Linux 6.5 (MOVE_MOUNT_BENEATH) a mount goes on top of the old one, there and back: each handover would leave
 * two dead mounts more in every container.
 */
export function kernelBar({ evidence }: NodeView): string | undefined {
  const host = evidence.seen && evidence.value.host.seen ? evidence.value.host.value : undefined;
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(host?.kernel ?? '') ?? [];
  if (!host || major === undefined || Number(major) * 1000 + Number(minor) >= 6_005) return undefined;
  return `Linux ${host.kernel} cannot move a mount beneath another (6.5 can): a handover would leave two dead mounts in each container; --no-handover restarts it and brings the volumes back right after, --force hands over all the same`;
}

/** What a container has on the volume's path that cannot be moved for certain. */
const strange: Readonly<Partial<Record<ContainerMountView['state'], string>>> = {
  missing: 'the mount was not found of',
  unseen: 'the mount gives an answer that proves nothing in',
  hung: 'the mount does not answer in',
  hidden: 'another mount covers that of',
  bare: "the directory on the node's disk is what there is in",
  'other-device': 'something else is mounted on the path in',
  'other-offset': 'another directory of it is mounted in',
};

function lostContainer(node: NodeView, volume: VolumeView, options: RestartOptions): string | undefined {
  const ours = new Set(ourMounts(node, options.driver).map(({ device }) => device));
  const { mounts } = evidenceOf(node);
  const lost = volume.containers
    .filter(({ state }) => state in strange)
    .find(
      ({ namespace }) =>
        !mounts.some((mount) => mount.namespace === namespace?.inode && ours.has(mount.device)),
    );
  return lost && `${strange[lost.state]} container ${lost.container}`;
}
