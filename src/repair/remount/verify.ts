import type { ContainerMountView } from '../../diagnose/view.ts';
import type { Work } from '../define-repair.ts';
import { volumesOf } from './units.ts';

/** A container that runs must have what the node has; one whose mount answered all along was none of our business. */
const goodStates: readonly ContainerMountView['state'][] = [
  'same',
  'stopped',
  'other-device',
  'other-offset',
];

/** What is still wrong, by a fresh look at the node and into every container; undefined when all answer and agree. */
export async function verifyRemounted({ unit, node }: Work): Promise<string | undefined> {
  const view = await node.observeVolumes();
  if (!view.volumes.seen) return view.volumes.why;
  for (const volume of volumesOf(unit, view)) {
    if (volume.state !== 'alive') return `${volume.target.path} is ${volume.state} on the node`;
    const wrong = volume.containers.find(({ state }) => !goodStates.includes(state));
    if (wrong) return `${wrong.declared.path} of container ${wrong.container} is ${wrong.state}`;
  }
  return undefined;
}
