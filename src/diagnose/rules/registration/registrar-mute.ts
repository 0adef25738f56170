import { isIgnoredName } from '../../../kubelet/paths.ts';
import type { RegistryEntry } from '../../../model/evidence.ts';
import { type Answer, type Draft, defineRule } from '../../define-rule.ts';
import { driverOfEntry } from '../../join.ts';
import { checkEntries, driverSubject, isMute, socketPath } from '../../registration.ts';
import type { DriverView, NodeView } from '../../view.ts';

/** The kernel accepts for a process that hangs; kubelet gives GetInfo one second (pkg/kubelet/pluginmanager). */
export default defineRule({
  id: 'registrar-mute',
  incident: 'registration',
  scope: 'node',
  title: 'A registration socket accepts and does not answer',
  needs: ['agent'],
  reasons: {
    'no-answer': 'Its registrar hangs or is stopped: it fails to answer GetInfo, so kubelet cannot register.',
  },
  check(node) {
    const { found = [], blind = [] } = checkEntries(node, (entry) =>
      isMute(entry) ? [draft(node, entry)] : [],
    );
    return { found, blind: [...blind, ...unasked(node)] };
  },
});

/** Sockets that nobody could ask. */
function unasked(node: NodeView): NonNullable<Answer['blind']> {
  const { evidence } = node;
  if (!evidence.seen || !evidence.value.entries.seen) return [];
  return evidence.value.entries.value.flatMap((entry) => {
    const { socket } = entry;
    if (!socket || isIgnoredName(entry.name) || socket.registration.seen || socket.asked) return [];
    const driver = driverOfEntry(entry);
    const subject = { node: node.node.name, ...(driver && { driver }), socket: socketPath(node, entry) };
    if (socket.connect.state === 'accepted') return [{ subject, why: socket.registration.why }];
    if (socket.connect.state === 'failed') return [{ subject, why: `connect(2): ${socket.connect.errno}` }];
    return [];
  });
}

function draft(view: NodeView, entry: RegistryEntry): Draft<'no-answer'> {
  const driver = view.drivers.find((each) => each.driver === driverOfEntry(entry));
  const socket = socketPath(view, entry);
  const { connect, registration } = entry.socket ?? {};
  return {
    reason: 'no-answer',
    severity: driver && !isMissing(driver) ? 'warning' : 'error',
    subject: { ...(driver ? driverSubject(driver) : { node: view.node.name }), socket },
    summary: `${socket} does not answer GetInfo`,
    proofs: [
      connect?.state === 'silent'
        ? { what: 'connecting hangs: nobody takes what waits in its queue', source: 'connect(2)' }
        : { what: `connecting is accepted${listenerOf(entry)}`, source: 'connect(2)' },
      ...(registration && !registration.seen && connect?.state === 'accepted'
        ? [{ what: registration.why, source: socket }]
        : []),
    ],
    cure: driver?.pod
      ? `kubectl csi heal --node ${view.node.name} --max-risk disruptive restarts its registrar`
      : 'no node plugin pod was found for it; see on the node who listens on the socket',
  };
}

function listenerOf({ socket }: RegistryEntry): string {
  const listener = socket?.connect.state === 'accepted' ? socket.connect.listener : undefined;
  return listener ? `; ${listener.command} (pid ${listener.pid}) listens` : '';
}

const isMissing = ({ listed, held }: DriverView) =>
  (listed.seen && listed.value === undefined) || (held.seen && !held.value);
