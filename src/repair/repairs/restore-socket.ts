import type { NodeView } from '../../diagnose/view.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair } from '../define-repair.ts';
import { entriesOfFindings, placeOf, unseenPlace } from '../registration.ts';

/** An announcement that was cut off between its two renames leaves the socket under its dot-name. */
export default defineRepair({
  id: 'restore-socket',
  title: 'Give a socket its name back',
  rank: 5,
  risk: 'safe',
  cures: [{ rule: 'socket-convention', reasons: ['dot-name'] }],
  describe: (unit, node) =>
    `rename ${dottedOf(unit, node)?.name ?? 'the socket'} to the name without the dot`,
  bars: (unit, node) =>
    unseenPlace(node) ?? (dottedOf(unit, node) ? undefined : 'the socket is no longer there'),
  async act({ unit, view, node }) {
    const { kubelet, root } = placeOf(view);
    const name = dottedOf(unit, view)?.name ?? '';
    const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
    await node.agent(agentArgs.restore({ ...where, name }));
  },
  async verify({ unit, node }) {
    return dottedOf(unit, await node.observe()) ? 'the socket still has its dot-name' : undefined;
  },
  undo: { nothing: 'the socket has its name again' },
});

/** Its finding names no driver: a unit is one socket. */
const dottedOf = (unit: Unit, node: NodeView) =>
  entriesOfFindings('socket-convention', 'dot-name', unit, node)[0];
