import type { Work } from '../define-repair.ts';
import { publishAgain } from './publish-again.ts';
import { swapContainers } from './swap.ts';
import type { Published } from './trust.ts';
import { volumesOf } from './units.ts';

/** On the node first, verified, then in the containers; the guard stays on the bare directory until both are done. */
export async function remount(work: Work): Promise<void> {
  const swapAll = async (published: Published) => {
    const view = await work.node.observe();
    await swapContainers({ ...work, view }, volumesOf(work.unit, view), published);
  };
  const published = await publishAgain(work, undefined, swapAll);
  if (published.size === 0) await swapAll(published);
}

/** The same, after something else has changed the node. */
export const remountFresh = async (work: Work) => remount({ ...work, view: await work.node.observe() });
