import { containerNames } from '../../diagnose/mounts.ts';
import { defineRepair } from '../define-repair.ts';
import { mountFaults } from '../remount/faults.ts';
import { deadRemains } from '../remount/remains.ts';
import { remount } from '../remount/remount.ts';
import { settleRemount } from '../remount/settle.ts';
import { remountBar, toPublish, toSwap, volumesOf } from '../remount/units.ts';
import { verifyRemounted } from '../remount/verify.ts';

/** A container that restarts meanwhile binds what is on the host: so the host comes first. */
export default defineRepair({
  id: 'remount',
  title: 'Publish the volume again and swap the mount inside the running containers',
  rank: 100,
  risk: 'safe',
  cures: mountFaults,
  describe(unit, node) {
    const volumes = volumesOf(unit, node);
    const publish = toPublish(volumes).map(({ use }) => `${use?.pod.namespace}/${use?.pod.name}`);
    const swap = volumes.flatMap((volume) => toSwap(volume));
    return [
      ...(publish.length > 0 ? [`publish it again for ${publish.join(', ')}`] : []),
      ...(swap.length > 0 ? [`swap the mount inside the running container ${containerNames(swap)}`] : []),
    ].join('; ');
  },
  bars: remountBar,
  act: remount,
  verify: verifyRemounted,
  settle: settleRemount,
  notes: deadRemains,
  undo: { nothing: 'each path and each container has its old mount or the new one' },
});
