import { guardsOfVolumes } from '../../diagnose/mounts.ts';
import { RefusedError, type Work } from '../define-repair.ts';
import { unguardAll } from './guards.ts';
import { publishAgain } from './publish-again.ts';
import { afterTouching, prepare } from './requests.ts';
import { swapContainers } from './swap.ts';
import type { Published } from './trust.ts';
import { toPublish, volumesOf } from './units.ts';

/** A pod that comes while its volume is dead is handed what is dead; it came too late for the round that was under way. */
const mostRounds = 3;

/** On the node first, verified, then in the containers; the guard stays on the bare directory until both are done. */
export async function remount(work: Work, round = 1): Promise<void> {
  let now = work.view;
  const swapAll = async (published: Published) => {
    now = await work.node.observeVolumes();
    const living = volumesOf(work.unit, now).filter(({ state }) => state === 'alive');
    await swapContainers({ ...work, view: now }, living, published);
  };
  const volumes = toPublish(volumesOf(work.unit, work.view));
  if (volumes.length > 0) await publishAgain(work, await prepare(work, volumes), swapAll);
  else await swapAll(new Set());
  await takeGuardsOff(work);
  if (toPublish(volumesOf(work.unit, now)).length > 0 && round < mostRounds)
    await remount({ ...work, view: now }, round + 1).catch(unlessRefused);
}

/** The pod that came may have gone again; the verify sees what is there. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof RefusedError)) throw error;
}

/** An earlier repair that was cut off may have left them. */
async function takeGuardsOff({ node, unit, view }: Work): Promise<void> {
  const guards = guardsOfVolumes(volumesOf(unit, view));
  if (guards.length > 0) await unguardAll(node, view, new Set(guards));
}

/** The same, after something else has changed the node. */
export const remountFresh = async (work: Work) =>
  remount({ ...work, view: await work.node.observe() }).catch(afterTouching);
