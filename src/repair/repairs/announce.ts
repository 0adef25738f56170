import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair } from '../define-repair.ts';
import { placeOf, socketOf, unseenPlace, verifyRegistered } from '../registration.ts';

/**
 * Two renames: kubelet acts on the CREATE event of the second one and ignores the first, because the name begins with
 * a dot. The registrar keeps listening all the while.
 */
export default defineRepair({
  id: 'announce',
  title: 'Announce the socket again',
  rank: 10,
  risk: 'safe',
  cures: [
    {
      rule: 'registration-lost',
      reasons: ['queue-overflow', 'events-not-delivered', 'registration-failed', 'unknown'],
    },
  ],
  describe: (unit, node) =>
    `rename ${socketOf(unit, node)?.name ?? 'the socket'} to a dot-name and back, so that kubelet sees it appear`,
  bars: (unit, node) =>
    unseenPlace(node) ?? (socketOf(unit, node) ? undefined : 'no registration socket of the driver answers'),
  async act({ unit, view, node }) {
    const { kubelet, root } = placeOf(view);
    const name = socketOf(unit, view)?.name ?? '';
    await node.agent(
      agentArgs.announce({ at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path, name }),
    );
  },
  verify: (work) => verifyRegistered(work),
  undo: { nothing: 'the socket has its own name again' },
});
