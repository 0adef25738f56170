import type { Work } from '../define-repair.ts';
import { untilWell } from '../wait.ts';
import { guardsOn, livingPlacesOf, placesOf, unguardAll } from './guards.ts';
import { volumesOf } from './units.ts';

/** Milliseconds for the agent to notice that its caller is gone, and to decide by what it finds on the targets. */
const decidingLimitMs = 30_000;

/** The agent that holds the dead mounts goes on alone when the connection breaks; what it decides is in its journal. */
export async function settleRemount({ node, unit, view, signal }: Work): Promise<readonly string[]> {
  await node.observe(); // waits until the node can be asked again
  const places = placesOf(volumesOf(unit, view));
  const undecided = async () => (await guardsOn(node, places)).find(({ released }) => !released)?.target;
  await untilWell(undecided, decidingLimitMs, signal);
  const now = await node.observe();
  const volumes = volumesOf(unit, now);
  await unguardAll(node, now, livingPlacesOf(volumes));
  return volumes
    .filter(({ state }) => state === 'bare' || state === 'absent')
    .map(({ target, state }) => `${target.path}: ${state}${target.guarded ? ', write-protected' : ''}`);
}
