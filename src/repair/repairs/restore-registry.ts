import { defineRepair } from '../define-repair.ts';
import { placeOf, unseenPlace } from '../registration.ts';
import { isCovered, keepOverReboot, moveRegistry, relocationBar, verifyMoved } from '../relocation.ts';

/** Takes `relocate-registry` back: the registry is again where kubelet's root is. */
export default defineRepair({
  id: 'restore-registry',
  title: "Take plugins_registry back to kubelet's root",
  rank: 51,
  risk: 'disruptive',
  onRequest: true,
  cures: [],
  describe: (_unit, node) =>
    `unmount the tmpfs from ${unseenPlace(node) ? 'plugins_registry' : placeOf(node).registry.path}, restart kubelet and the registrars`,
  bars: (_unit, node, { force }) =>
    relocationBar(node, force) ??
    (isCovered(node) ? undefined : 'no tmpfs of kubectl csi is on the registry'),
  async act(work) {
    await keepOverReboot(work.view, work.node, false);
    await moveRegistry(work, true);
  },
  verify: (work) => verifyMoved(work, false),
  undo: { nothing: 'kubectl csi relocate puts it on again' },
});
