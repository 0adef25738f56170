import type { NodeView } from '../../diagnose/view.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair } from '../define-repair.ts';
import { entryOfFinding, placeOf, unseenPlace } from '../registration.ts';

/** Renamed and not removed: REMOVE is an event that kubelet acts on, and a name with a dot is one that it ignores. */
export default defineRepair({
  id: 'retire-socket',
  title: 'Rename a stale socket to a dot-name',
  rank: 5,
  risk: 'safe',
  cures: [{ rule: 'stale-socket', reasons: ['left-behind'] }],
  describe: (unit, node) =>
    `rename ${staleOf(unit, node)?.name ?? 'the socket'} to a dot-name, which kubelet ignores`,
  bars: (unit, node) =>
    unseenPlace(node) ?? (staleOf(unit, node) ? undefined : 'the socket is no longer there'),
  async act({ unit, view, node }) {
    const { kubelet, root } = placeOf(view);
    const name = staleOf(unit, view)?.name ?? '';
    const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
    first(await node.agent(agentArgs.retire({ ...where, name })), 'renamed');
  },
  async verify({ unit, node }) {
    return staleOf(unit, await node.observe()) ? 'the socket still has its name' : undefined;
  },
  undo: { nothing: 'the rename is the whole repair; kubectl csi cleanup tells how to take it back' },
});

const staleOf = (unit: Unit, node: NodeView) => entryOfFinding('stale-socket', unit, node);
