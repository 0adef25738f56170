import { supervisionOf } from '../../kubelet/supervision.ts';
import { defineRepair } from '../define-repair.ts';
import { placeOf, unseenPlace, verifyRegistered } from '../registration.ts';
import { kubeletBar, lossBar, restartKubelet } from '../restart-kubelet.ts';

/** Milliseconds; a starting kubelet scans the registry once its own start is through. */
const limitMs = 60_000;

/** A kubelet that starts scans plugins_registry, whatever inotify tells or does not tell. Containers go on. */
export default defineRepair({
  id: 'restart-kubelet',
  title: 'Restart kubelet',
  rank: 40,
  risk: 'disruptive',
  cures: [
    {
      rule: 'registration-lost',
      reasons: [
        'queue-overflow',
        'orphaned-watch',
        'directory-replaced',
        'no-watch',
        'events-not-delivered',
        'registration-failed',
        'unknown',
      ],
    },
  ],
  describe(_unit, node) {
    if (unseenPlace(node)) return 'restart kubelet';
    const supervision = supervisionOf(placeOf(node).kubelet);
    return supervision.kind === 'unit'
      ? `restart the systemd unit ${supervision.unit}; containers go on`
      : 'end kubelet, so that its supervisor starts it again; containers go on';
  },
  bars: (_unit, node, { force }) => unseenPlace(node) ?? kubeletBar(node, force) ?? lossBar(node, force),
  act: ({ view, node, signal }) => restartKubelet(placeOf(view).kubelet, node, signal),
  verify: (work) => verifyRegistered(work, limitMs),
  undo: { nothing: 'kubelet runs again' },
});
