import type { ContainerMountView, VolumeView } from '../../diagnose/view.ts';
import type { ObservedMount } from '../../model/mounts.ts';

/** Target paths that the driver has published in this very repair. */
export type Published = ReadonlySet<string>;

/**
 * Whether what is mounted on the node is the volume, and not something that somebody put over it: published a moment
 * ago, or the staged file system, or of the same kind and source as what the container had. An app that is moved onto
 * anything else writes its data to the wrong place in silence.
 * @returns why it is not trusted; undefined where it is
 */
export function distrustOf(
  volume: VolumeView,
  host: ObservedMount,
  { mount, state }: ContainerMountView,
  published: Published,
): string | undefined {
  if (volume.layers.length > 1) return `${volume.layers.length} mounts lie on ${volume.target.path}`;
  if (published.has(volume.target.path)) return undefined;
  if (volume.staging?.layers.at(-1)?.device === host.device) return undefined;
  if (state === 'dead' && mount?.fsType === host.fsType && mount.source === host.source) return undefined;
  return `what is mounted on ${volume.target.path} (${host.fsType}, source ${host.source}) is not known to be the volume`;
}

/** The same for every container that would be swapped without publishing first. */
export function distrustIn(
  volumes: readonly VolumeView[],
  wrong: (volume: VolumeView) => readonly ContainerMountView[],
) {
  for (const volume of volumes) {
    const host = volume.layers.at(-1);
    if (host?.state !== 'alive') continue;
    for (const container of wrong(volume)) {
      const why = distrustOf(volume, host, container, new Set());
      if (why) return why;
    }
  }
  return undefined;
}
