import { isIgnoredName } from '../../../kubelet/paths.ts';
import type { RegistryEntry } from '../../../model/evidence.ts';
import { type Draft, defineRule } from '../../define-rule.ts';
import { driverOfEntry } from '../../join.ts';
import { checkEntries, isRefused, socketPath } from '../../registration.ts';
import type { NodeView } from '../../view.ts';

/** A socket that refuses connections makes kubelet dial with a growing back-off (kubernetes-csi/node-driver-registrar#206). */
export default defineRule({
  id: 'stale-socket',
  incident: 'registration',
  scope: 'node',
  title: 'A registration socket on which nobody listens',
  needs: ['agent'],
  reasons: {
    'left-behind': 'Its registrar ended without removing it. Kubelet does not hold its driver.',
    held: 'Its registrar ended without removing it. Kubelet still holds the driver, so the socket must stay: removing it would deregister the driver.',
  },
  check: (node) =>
    checkEntries(node, (entry) =>
      isRefused(entry) && !isIgnoredName(entry.name) ? [draft(node, entry)] : [],
    ),
});

function draft(view: NodeView, entry: RegistryEntry): Draft<'left-behind' | 'held'> {
  const { name, kubeletPlugins } = view.node;
  const driver = driverOfEntry(entry);
  const path = socketPath(view, entry);
  const held =
    !kubeletPlugins.seen ||
    kubeletPlugins.value.actual.some((socket) => socket.endsWith(`/plugins_registry/${entry.name}`));
  return {
    reason: held ? 'held' : 'left-behind',
    severity: 'warning',
    subject: { node: name, socket: path, ...(driver && { driver }) },
    summary: `nobody listens on ${path}`,
    proofs: [
      { what: `connecting was refused; made at ${entry.changedAt}`, source: 'connect(2)' },
      kubeletPlugins.seen
        ? {
            what: held ? 'kubelet holds it' : 'kubelet does not hold it',
            source: 'plugin_manager_total_plugins',
          }
        : { what: `whether kubelet holds it is unknown: ${kubeletPlugins.why}`, source: 'node proxy' },
    ],
    cure: held
      ? 'start the node plugin of this driver on the node again; its registrar replaces the socket'
      : `kubectl csi heal --node ${name} renames it to a dot-name, which kubelet ignores`,
  };
}
