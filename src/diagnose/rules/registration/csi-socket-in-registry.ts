import type { HostPath } from '../../../model/ids.ts';
import { type Draft, defineRule } from '../../define-rule.ts';
import { checkEntries, socketPath } from '../../registration.ts';
import type { NodeView } from '../../view.ts';

/** Kubelet asks each socket in the registry for Registration/GetInfo; a CSI socket answers Unimplemented. */
export default defineRule({
  id: 'csi-socket-in-registry',
  incident: 'registration',
  scope: 'node',
  title: 'A CSI socket stands where registration sockets belong',
  needs: ['agent'],
  reasons: { 'speaks-csi': 'The socket answers CSI Identity calls and no registration calls.' },
  check: (node) =>
    checkEntries(node, (entry) => (entry.socket?.speaksCsi ? [draft(node, socketPath(node, entry))] : [])),
});

const draft = ({ node }: NodeView, socket: HostPath): Draft<'speaks-csi'> => ({
  reason: 'speaks-csi',
  severity: 'error',
  subject: { node: node.name, socket },
  summary: `${socket} is a CSI socket, not a registration socket`,
  proofs: [{ what: 'it answers Identity/GetPluginInfo and not Registration/GetInfo', source: socket }],
  cure: "give the driver's --endpoint a folder of its own (plugins/DRIVER/csi.sock) and leave plugins_registry to its node-driver-registrar",
});
