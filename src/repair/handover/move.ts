import type { HostPath } from '../../model/ids.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import { placeOf } from '../registration.ts';
import { offsetOf } from '../remount/units.ts';
import type { Move } from './places.ts';

/**
 * Swaps a living mount in a container for another, with no gap: exactly the mount that was seen, by its id and device.
 * @returns microseconds in which two mounts lay on the path
 */
export async function moveOne({ view, node }: Work, move: Move): Promise<number> {
  const { container, namespace, mount, from, fresh, root } = move;
  const sub = offsetOf(mount.root, root);
  const records = await node.agent(
    agentArgs.swap({
      at: placeOf(view).kubelet.pid,
      pid: namespace.pid,
      startTicks: namespace.startTicks,
      namespace: namespace.inode,
      target: mount.mountPoint,
      mountId: mount.id,
      device: mount.device,
      from,
      fromDevice: fresh.device,
      planned: true,
      unlisted: true,
      propagation: container.declared.propagation === 'HostToContainer' ? 'slave' : 'keep',
      ...(sub === '' ? { whole: true } : { sub }),
    }),
  );
  const swapped = first(records, 'swapped');
  if (swapped.device !== fresh.device || !swapped.read)
    throw new Error(
      `container ${container.container} does not read at ${mount.mountPoint} after the swap: ${swapped.readErrno ?? 'no answer'}`,
    );
  return swapped.window;
}

/**
 * Reads at a path of the node; only once every container is there: listing a directory tells the kernel the sizes of
 * files (READDIRPLUS), stale for whoever still changes them through another mount.
 * @returns what is wrong, or undefined
 */
export async function readFault({ view, node }: Work, path: HostPath): Promise<string | undefined> {
  const { pid, startTicks } = placeOf(view).kubelet;
  const answer = first(await node.agent(agentArgs.verify({ at: pid, startTicks, path })), 'verified');
  return answer.read
    ? undefined
    : `${path} cannot be read: ${answer.readErrno ?? answer.errno ?? 'no answer'}`;
}
