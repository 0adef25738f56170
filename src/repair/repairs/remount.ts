import { containerNames } from '../../diagnose/mounts.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import { publishAgain } from '../remount/publish-again.ts';
import { swapContainers } from '../remount/swap.ts';
import { remountBar, toPublish, toSwap, volumesOf } from '../remount/units.ts';
import { verifyRemounted } from '../remount/verify.ts';

/** Host first, verified, then the containers: a container that restarts meanwhile binds what is on the host. */
export default defineRepair({
  id: 'remount',
  title: 'Publish the volume again and swap the mount inside the running containers',
  rank: 100,
  risk: 'safe',
  cures: [
    { rule: 'mount-dead', reasons: ['daemon-gone', 'stale-handle', 'container-only'] },
    { rule: 'mount-bare', reasons: ['not-mounted', 'guard-left'] },
    { rule: 'mount-wrong', reasons: ['bound-to-bare', 'other-device', 'other-offset'] },
  ],
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
  undo: { nothing: 'each path and each container has its old mount or the new one' },
});

async function remount(work: Work): Promise<void> {
  await publishAgain(work);
  const view = await work.node.observe();
  await swapContainers({ ...work, view }, volumesOf(work.unit, view));
}
