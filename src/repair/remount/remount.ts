import type { Work } from '../define-repair.ts';
import { publishAgain } from './publish-again.ts';
import { swapContainers } from './swap.ts';
import { volumesOf } from './units.ts';

/** On the node first, verified, then in the containers. */
export async function remount(work: Work): Promise<void> {
  const published = await publishAgain(work);
  const view = await work.node.observe();
  await swapContainers({ ...work, view }, volumesOf(work.unit, view), published);
}

/** The same, after something else has changed the node. */
export const remountFresh = async (work: Work) => remount({ ...work, view: await work.node.observe() });
