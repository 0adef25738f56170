import { guardsOfVolumes } from '../../diagnose/mounts.ts';
import type { Work } from '../define-repair.ts';
import { unguardAll } from './guards.ts';
import { publishAgain } from './publish-again.ts';
import { afterTouching, prepare } from './requests.ts';
import { swapContainers } from './swap.ts';
import type { Published } from './trust.ts';
import { toPublish, volumesOf } from './units.ts';

/** On the node first, verified, then in the containers; the guard stays on the bare directory until both are done. */
export async function remount(work: Work): Promise<void> {
  const swapAll = async (published: Published) => {
    const view = await work.node.observeVolumes();
    await swapContainers({ ...work, view }, volumesOf(work.unit, view), published);
  };
  const volumes = toPublish(volumesOf(work.unit, work.view));
  if (volumes.length > 0) await publishAgain(work, await prepare(work, volumes), swapAll);
  else await swapAll(new Set());
  await takeGuardsOff(work);
}

/** An earlier repair that was cut off may have left them. */
async function takeGuardsOff({ node, unit, view }: Work): Promise<void> {
  const guards = guardsOfVolumes(volumesOf(unit, view));
  if (guards.length > 0) await unguardAll(node, view, new Set(guards));
}

/** The same, after something else has changed the node. */
export const remountFresh = async (work: Work) =>
  remount({ ...work, view: await work.node.observe() }).catch(afterTouching);
