import { defineRepair } from '../define-repair.ts';
import { placeOf, unseenPlace } from '../registration.ts';
import {
  isCovered,
  keepOverReboot,
  kubeletUnit,
  moveRegistry,
  relocationBar,
  verifyMoved,
} from '../relocation.ts';

/** The lasting cure for a file system that drops events. FUSE daemons and apps notice nothing. */
export default defineRepair({
  id: 'relocate-registry',
  title: 'Give plugins_registry a file system of its own',
  rank: 50,
  risk: 'disruptive',
  onRequest: true,
  cures: [{ rule: 'lossy-file-system', reasons: ['loses-events'] }],
  describe(_unit, node) {
    if (unseenPlace(node)) return 'mount a tmpfs over plugins_registry';
    const last = kubeletUnit(node)
      ? 'a systemd mount unit keeps it over reboots'
      : 'it ends with a reboot: mount it at boot, before kubelet starts';
    return `mount a tmpfs over ${placeOf(node).registry.path}, restart kubelet and the registrars; ${last}`;
  },
  bars: (_unit, node, { force }) =>
    relocationBar(node, force) ??
    (isCovered(node) ? 'the registry has a file system of its own already' : undefined),
  async act(work) {
    await moveRegistry(work, false);
    await keepOverReboot(work.view, work.node, true);
  },
  verify: (work) => verifyMoved(work, true),
  async undo(work) {
    const view = await work.node.observe();
    if (isCovered(view)) await moveRegistry({ ...work, view }, true);
    await keepOverReboot(view, work.node, false);
  },
});
