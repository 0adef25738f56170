import type { Proof, Subject } from '../model/finding.ts';
import type { HostPath } from '../model/ids.ts';
import type { ObservedMount } from '../model/mounts.ts';
import type { VolumeUse } from '../model/snapshot.ts';
import type { ContainerMountView, VolumeView } from './view.ts';

export const volumeSubject = ({ node, driver, handle, use }: VolumeView): Subject => ({
  node,
  driver,
  volume: handle,
  ...(use && { pod: use.pod, volumeName: use.volume }),
});

/** How people call the volume: its claim, else its name in the pod, else its handle. */
export const volumeText = ({ use, handle }: VolumeView) => use?.claim?.name ?? use?.volume ?? handle;

/** A pod that is not on its way out: kubelet unmounts for those that are. */
export const isLive = ({ deleting, phase }: VolumeUse) =>
  !deleting && phase !== 'Succeeded' && phase !== 'Failed';

/** A pod of the API server has it, and is live. */
export const isInUse = ({ use }: VolumeView) => use !== undefined && isLive(use);

export const isRunning = ({ namespace }: ContainerMountView) => namespace !== undefined;

/**
 * Where kubelet has yet to publish the volume of a pod that starts, a bare directory is as it should be. A pod in a crash
 * loop has no container at this moment, and writes to the disk at the next (kubelet's phase Running).
 */
export const shouldBeMounted = ({ target, containers, use }: VolumeView) =>
  target.guarded || containers.some(isRunning) || use?.phase === 'Running';

export const containersIn = ({ containers }: VolumeView, ...states: readonly ContainerMountView['state'][]) =>
  containers.filter(({ state }) => states.includes(state));

export const containerNames = (containers: readonly ContainerMountView[]) =>
  [...new Set(containers.map(({ container }) => container))].join(', ');

export const mountProof = (mount: ObservedMount, where: string): Proof => ({
  what: `${mount.mountPoint} (${mount.fsType}, source ${mount.source}, device ${mount.device}) ${stateWords(mount)}`,
  source: mount.state === 'hidden' ? `mountinfo ${where}` : `statfs ${where}`,
});

function stateWords({ state, errno, waiting }: ObservedMount): string {
  const requests = waiting === undefined ? '' : `, ${waiting} requests wait for its daemon`;
  switch (state) {
    case 'alive':
      return 'answers';
    case 'dead':
      return `answers ${errno ?? 'that it is dead'}`;
    case 'hung':
      return `gives no answer${requests}`;
    case 'unseen':
      return `answers ${errno ?? 'nothing that tells'}`;
    case 'hidden':
      return 'lies under another mount';
  }
}

export const containerProof = ({ container, mount, state, declared }: ContainerMountView): Proof =>
  mount
    ? mountProof(mount, `in container ${container}`)
    : { what: `${declared.path} of container ${container} is ${state}`, source: 'mountinfo' };

/** For all volumes of the driver on the node. */
export const remountAllCommand = ({ use, node }: VolumeView) =>
  use ? `kubectl csi remount --driver ${use.driver} --node ${node}` : `kubectl csi heal --node ${node}`;

export const remountCommand = ({ use, node }: VolumeView) =>
  use ? `kubectl csi remount pod/${use.pod.name} -n ${use.pod.namespace}` : `kubectl csi heal --node ${node}`;

/** Guards beneath a mount, and on a bare directory that no pod uses any more. Beneath a pod in use it protects the disk. */
export function guardsOfVolumes(volumes: readonly VolumeView[]): readonly HostPath[] {
  const guarded = volumes.flatMap((volume) => {
    const { target, layers, staging, guards = [] } = volume;
    const places = [{ target, layers }, ...(staging ? [staging] : [])];
    return places
      .filter((place) =>
        place.layers.length > 0 ? guards.includes(place.target.path) : isIdle(place, volume),
      )
      .map((place) => place.target.path);
  });
  return [...new Set(guarded)];
}

/** A pod whose claim or PersistentVolume is gone uses its directory all the same. */
const isIdle = (
  { target }: { readonly target: { readonly guarded: boolean } },
  { use, podGone }: Pick<VolumeView, 'use' | 'podGone'>,
) => target.guarded && (use ? !isLive(use) : podGone);
