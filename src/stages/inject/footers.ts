import type { WorkloadPlan } from '../../model/injection.ts';
import type { Intent } from './intent.ts';

/** What the change does and does not, for those who get it. */
export function footersOf(mode: Intent['mode'], workloads: readonly WorkloadPlan[]): readonly string[] {
  if (!workloads.some(({ edits }) => edits.length > 0)) return [];
  const drivers = workloads.flatMap(({ containers }) => containers.flatMap((each) => each.drivers));
  const [driver = 'DRIVER'] = drivers.filter((name) => !name.startsWith('<'));
  return texts[mode](driver);
}

const texts: Readonly<Record<Intent['mode'], (driver: string) => readonly string[]>> = {
  probe: (driver) => [
    'A probe is no repair: kubelet ends the container, and the new one gets whatever is mounted on the node. While that is dead it does not start (CreateContainerError).',
    `To have both, repair the node's mount too: kubectl csi heal --driver ${driver}. It also swaps the mount inside containers that still run, faster than any probe, with no restart.`,
  ],
  propagation: (driver) => [
    'The container sees what its driver mounts on top of the dead mount on the node; what the driver unmounts and mounts anew it does not see.',
    `For drivers that do not mount again by themselves: kubectl csi heal --driver ${driver}.`,
  ],
  undo: () => [],
};
