import type { Work } from '../define-repair.ts';
import { notAsOnNode, volumesOf } from './units.ts';

/** What is still wrong, by a fresh look at the node and into every container; undefined when all answer and agree. */
export async function verifyRemounted({ unit, node }: Work): Promise<string | undefined> {
  const view = await node.observe();
  if (!view.volumes.seen) return view.volumes.why;
  for (const volume of volumesOf(unit, view)) {
    if (volume.state !== 'alive') return `${volume.target.path} is ${volume.state} on the node`;
    const [wrong] = notAsOnNode(volume);
    if (wrong) return `${wrong.declared.path} of container ${wrong.container} is ${wrong.state}`;
  }
  return undefined;
}
