import type { ContainerMountView, VolumeView } from '../../diagnose/view.ts';
import type { ObservedMount } from '../../model/mounts.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import { placeOf } from '../registration.ts';
import { distrustOf, type Published } from './trust.ts';
import { offsetOf, toSwap } from './units.ts';

/** Gives every running container of these volumes the mount that the node has now. One after the other: each is a few milliseconds. */
export async function swapContainers(
  work: Work,
  volumes: readonly VolumeView[],
  published: Published,
): Promise<void> {
  for (const volume of volumes) {
    const host = volume.layers.at(-1);
    if (host?.state !== 'alive') throw new Error(`${volume.target.path} is ${volume.state} on the node`);
    for (const container of toSwap(volume)) {
      const distrust = distrustOf(volume, host, container, published);
      if (distrust) throw new Error(distrust);
      await swapOne(work, volume, host, container);
    }
  }
}

async function swapOne(
  { view, node }: Work,
  volume: VolumeView,
  host: ObservedMount,
  container: ContainerMountView,
) {
  const { namespace, mount, state } = container;
  if (!namespace || !mount) return;
  const { kubelet } = placeOf(view);
  const sub = subOf(volume, host, container);
  const records = await node.agent(
    agentArgs.swap({
      at: kubelet.pid,
      pid: namespace.pid,
      startTicks: namespace.startTicks,
      namespace: namespace.inode,
      target: mount.mountPoint,
      mountId: mount.id,
      device: mount.device,
      from: volume.target.path,
      fromDevice: host.device,
      planned: state !== 'dead',
      propagation: propagationOf(container),
      ...(sub === '' ? { whole: true } : { sub }),
    }),
  );
  const { read, readErrno, device } = first(records, 'swapped');
  if (device !== host.device)
    throw new Error(`container ${container.container} has device ${device} now, not ${host.device}`);
  if (!read)
    throw new Error(
      `a read in container ${container.container} failed afterwards: ${readErrno ?? 'no answer'}`,
    );
}

/**
 * A slave shows as private once its master was unmounted on the host (fs/pnode.c, change_mnt_propagation), so what the pod
 * asked for is the better witness.
 */
const propagationOf = ({ declared }: ContainerMountView) =>
  declared.propagation === 'HostToContainer' ? 'slave' : 'keep';

/** The directory of the volume that the container had: by its own mount, or by kubelet's bind where it was on the disk. */
function subOf(
  { subPaths }: VolumeView,
  host: ObservedMount,
  { declared, mount, state, container }: ContainerMountView,
): string {
  if (!declared.subPath) return '';
  const bind = subPaths.find(
    (each) => each.bind.container === container && each.layers.at(-1)?.state === 'alive',
  );
  const root = state === 'dead' ? mount?.root : bind?.layers.at(-1)?.root;
  if (root === undefined) throw new Error(`the subPath of container ${container} is not known`);
  return offsetOf(root, host.root);
}
