import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import type { ObservedMount } from '../../model/mounts.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair } from '../define-repair.ts';
import { placeOf } from '../registration.ts';
import { deadRemains } from '../remount/remains.ts';
import { remountFresh } from '../remount/remount.ts';
import { prepare } from '../remount/requests.ts';
import { settleRemount } from '../remount/settle.ts';
import { endpointOf, volumesOf } from '../remount/units.ts';
import { verifyRemounted } from '../remount/verify.ts';

/** The last step against a stuck daemon: every request that waits fails, and the mount is dead instead of hung. */
export default defineRepair({
  id: 'abort-fuse',
  title: 'Abort the FUSE connection that hangs, then mount anew',
  rank: 130,
  risk: 'destructive',
  cures: [{ rule: 'mount-hung', reasons: ['no-answer'] }],
  describe(unit, node) {
    const mounts = hungMounts(unit, node);
    const waiting = mounts.map((mount) => mount.waiting ?? 0).reduce((sum, each) => sum + each, 0);
    return `abort FUSE connection ${devicesOf(mounts).join(', ')}: ${waiting} requests that wait fail; then publish again and swap`;
  },
  bars(unit, node) {
    const mounts = hungMounts(unit, node);
    if (mounts.length === 0) return 'the volume does not hang any more';
    if (mounts.some(({ fsType }) => !fsType.startsWith('fuse')))
      return 'only FUSE connections can be aborted';
    return endpointOf(volumesOf(unit, node), node)
      ? undefined
      : 'the driver does not answer, so nothing could be mounted anew';
  },
  async act(work) {
    const hung = volumesOf(work.unit, work.view).filter(({ state }) => state === 'hung');
    if (hung.length > 0) (await prepare(work, hung)).driver.close(); // nothing is aborted that could not be published anew
    const { kubelet } = placeOf(work.view);
    const where = { at: kubelet.pid, startTicks: kubelet.startTicks };
    for (const device of devicesOf(hungMounts(work.unit, work.view)))
      await work.node.agent(agentArgs.abort({ ...where, device }));
    await remountFresh(work);
  },
  verify: verifyRemounted,
  settle: settleRemount,
  notes: deadRemains,
  undo: {
    nothing: 'an aborted connection cannot be brought back; its mounts are dead and can be repaired as such',
  },
});

const mountsOf = ({ layers, containers }: VolumeView) => [
  ...layers,
  ...containers.flatMap(({ mount }) => (mount ? [mount] : [])),
];

const hungMounts = (unit: Unit, node: NodeView): readonly ObservedMount[] =>
  volumesOf(unit, node)
    .flatMap(mountsOf)
    .filter(({ state }) => state === 'hung');

const devicesOf = (mounts: readonly ObservedMount[]) => [...new Set(mounts.map(({ device }) => device))];
