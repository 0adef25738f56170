import type { Watch } from '../../model/evidence.ts';
import { AgentError } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import { placeOf, socketOf, unseenPlace, verifyRegistered } from '../registration.ts';

/**
 * Kubelet still watches the directory that a mount hides. A file of the socket's name made there raises the event;
 * kubelet then looks at the visible path and finds the real socket.
 */
export default defineRepair({
  id: 'announce-hidden',
  title: 'Announce the socket in the hidden directory that kubelet watches',
  rank: 20,
  risk: 'safe',
  cures: [{ rule: 'registration-lost', reasons: ['orphaned-watch'] }],
  describe: (unit, node) =>
    `make a file named ${socketOf(unit, node)?.name ?? 'like the socket'} in the directory below the mount, where kubelet's watch is`,
  bars: (unit, node) =>
    unseenPlace(node) ?? (socketOf(unit, node) ? undefined : 'no registration socket of the driver answers'),
  act: announceHidden,
  verify: (work) => verifyRegistered(work),
  undo: { nothing: 'the file was taken out of the hidden directory again' },
});

/** Which of kubelet's watches is the orphaned one cannot be told from outside: the agent compares and refuses. */
async function announceHidden({ unit, view, node }: Work): Promise<void> {
  const { kubelet, root } = placeOf(view);
  const name = socketOf(unit, view)?.name ?? '';
  const watches =
    view.evidence.seen && view.evidence.value.watches.seen ? view.evidence.value.watches.value : [];
  for (const { inode, device } of distinct(watches)) {
    const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
    try {
      await node.agent(agentArgs.announceHidden({ ...where, name, inode, device }));
      return;
    } catch (error) {
      if (!(error instanceof AgentError) || error.code !== 'no-layer') throw error;
    }
  }
  throw new Error("none of kubelet's watches is on a directory below the mount");
}

const distinct = (watches: readonly Watch[]) => [
  ...new Map(watches.map((watch) => [`${watch.device} ${watch.inode}`, watch])).values(),
];
