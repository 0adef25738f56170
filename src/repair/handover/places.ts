import { createHash } from 'node:crypto';
import type { ContainerMountView, NodeView, VolumeView } from '../../diagnose/view.ts';
import { handoverFolder } from '../../kubelet/handover.ts';
import { isBelow } from '../../kubelet/paths.ts';
import { type DriverName, type HostPath, hostPath } from '../../model/ids.ts';
import type { MountEvidence, MountNamespace, ObservedMount } from '../../model/mounts.ts';
import { placeOf } from '../registration.ts';
import { isCarried, volumesOn } from './way.ts';

const folderOf = (root: string, { driver, handle }: Pick<VolumeView, 'driver' | 'handle'>) =>
  `${handoverFolder(root, driver)}/${createHash('sha256').update(handle).digest('hex')}`;

/** Where the second driver stages a volume. */
export const ourStaging = (root: string, volume: VolumeView): HostPath =>
  hostPath(`${folderOf(root, volume)}/globalmount`);

/** Where it publishes it for one pod; named as kubelet names it, for drivers that look at the last component. */
export const ourTarget = (root: string, volume: VolumeView): HostPath =>
  hostPath(`${folderOf(root, volume)}/${volume.target.podUid}~${volume.target.specName}/mount`);

/** @throws Error when the mounts could not be seen: nothing may be touched then */
export function evidenceOf({ evidence }: NodeView): MountEvidence {
  if (!evidence.seen) throw new Error(evidence.why);
  if (!evidence.value.mounts.seen) throw new Error(evidence.value.mounts.why);
  return evidence.value.mounts.value;
}

/** The second driver's mounts on the node, the deepest first. */
export function ourMounts(view: NodeView, driver: DriverName): readonly ObservedMount[] {
  const { namespaces, mounts } = evidenceOf(view);
  const host = namespaces.find((namespace) => namespace.host)?.inode;
  const folder = handoverFolder(placeOf(view).root.path, driver);
  return mounts
    .filter((mount) => mount.namespace === host && isBelow(mount.mountPoint, folder))
    .sort((a, b) => b.mountPoint.length - a.mountPoint.length || b.layer - a.layer);
}

export const mountAt = (mounts: readonly ObservedMount[], path: string) =>
  mounts.filter(({ mountPoint }) => mountPoint === path).sort((a, b) => b.layer - a.layer)[0];

/** @throws Error when they could not be seen: a volume that is not seen would be left behind */
export function seenVolumesOn(view: NodeView, driver: DriverName): readonly VolumeView[] {
  if (!view.volumes.seen) throw new Error(view.volumes.why);
  return volumesOn(view, driver);
}

/** One mount in one container that is to be replaced by what the node has at a path. */
export interface Move {
  readonly volume: VolumeView;
  readonly container: ContainerMountView;
  readonly namespace: MountNamespace;
  readonly mount: ObservedMount;
  readonly from: HostPath;
  readonly fresh: ObservedMount;
  /** The root of the mount on the node that the container's mount is a part of. */
  readonly root: string;
}

/** Volumes that answer and that the second driver has not published. */
export function notCarried(view: NodeView, driver: DriverName): readonly VolumeView[] {
  const { root } = placeOf(view);
  const ours = ourMounts(view, driver);
  return seenVolumesOn(view, driver)
    .filter(isCarried)
    .filter((volume) => mountAt(ours, ourTarget(root.path, volume))?.state !== 'alive');
}

/** Mounts of containers that are not on the second driver yet. */
export function movesOver(view: NodeView, driver: DriverName): readonly Move[] {
  const { root } = placeOf(view);
  const ours = ourMounts(view, driver);
  return seenVolumesOn(view, driver).flatMap((volume) => {
    const from = ourTarget(root.path, volume);
    const fresh = mountAt(ours, from);
    if (!isCarried(volume) || fresh?.state !== 'alive') return [];
    return volume.containers.flatMap((container) => {
      const { namespace, mount, state } = container;
      // Whatever else lies there is not what the volume has: an app's own mount, or another directory.
      if (!namespace || !mount || state !== 'same' || mount.device === fresh.device) return [];
      return [{ volume, container, namespace, mount, from, fresh, root: volume.layers.at(-1)?.root ?? '/' }];
    });
  });
}

/** Mounts of containers that are on the second driver, whatever path they have in the container. */
export function movesBack(view: NodeView, driver: DriverName): readonly Move[] {
  const ours = ourMounts(view, driver);
  const moves = seenVolumesOn(view, driver).flatMap((volume) =>
    volume.containers.flatMap((container) => movesOf(view, volume, container, ours)),
  );
  return [...new Map(moves.map((move) => [`${move.namespace.inode} ${move.mount.id}`, move])).values()];
}

function movesOf(
  view: NodeView,
  volume: VolumeView,
  container: ContainerMountView,
  ours: readonly ObservedMount[],
): readonly Move[] {
  const { root } = placeOf(view);
  const { namespace } = container;
  const fresh = volume.layers.at(-1);
  const own = ours.filter(({ mountPoint }) => isBelow(mountPoint, folderOf(root.path, volume)));
  if (!namespace || !fresh) return [];
  return evidenceOf(view)
    .mounts.filter((mount) => mount.namespace === namespace.inode && !isBelow(mount.mountPoint, root.path))
    .filter(({ layer, layers }) => layer === layers - 1)
    .flatMap((mount) => {
      const second = own.find(({ device }) => device === mount.device);
      if (!second) return [];
      const declared = volume.containers.find(
        (each) => each.container === container.container && each.declared.path === mount.mountPoint,
      );
      const from = volume.target.path;
      return [{ volume, container: declared ?? container, namespace, mount, from, fresh, root: second.root }];
    });
}
