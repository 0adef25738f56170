import { isRefused } from '../../diagnose/registration.ts';
import type { NodeView } from '../../diagnose/view.ts';
import type { RegistryEntry } from '../../model/evidence.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair } from '../define-repair.ts';
import { entriesOfFindings, placeOf, unseenPlace } from '../registration.ts';

/** Renamed and not removed: REMOVE is an event that kubelet acts on, and a name with a dot is one that it ignores. */
export default defineRepair({
  id: 'retire-socket',
  title: 'Rename a stale socket to a dot-name',
  rank: 5,
  risk: 'safe',
  cures: [{ rule: 'stale-socket', reasons: ['left-behind'] }],
  describe: (unit, node) =>
    `rename ${namesOf(staleOf(unit, node)) || 'the socket'} to a dot-name, which kubelet ignores`,
  bars: (unit, node) =>
    unseenPlace(node) ?? (staleOf(unit, node).length > 0 ? undefined : 'the socket is no longer there'),
  async act({ unit, view, node }) {
    const { kubelet, root } = placeOf(view);
    const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
    for (const { name } of staleOf(unit, view))
      first(await node.agent(agentArgs.retire({ ...where, name })), 'renamed');
  },
  async verify({ unit, node }) {
    const stale = staleOf(unit, await node.observe());
    return stale.length > 0 ? `still under its name: ${namesOf(stale)}` : undefined;
  },
  undo: { nothing: 'the rename is the whole repair; kubectl csi cleanup tells how to take it back' },
});

/** Several registrars of one driver may have ended; those whose driver kubelet holds stay. */
const staleOf = (unit: Unit, node: NodeView) =>
  entriesOfFindings('stale-socket', 'left-behind', unit, node).filter(isRefused);

const namesOf = (entries: readonly RegistryEntry[]) => entries.map(({ name }) => name).join(', ');
