import type { HostPath } from '../../../model/ids.ts';
import { type Answer, defineRule, well } from '../../define-rule.ts';
import { type Loss, lossOf } from '../../loss.ts';
import {
  answeringSockets,
  driverAnswers,
  driverSubject,
  isRegistered,
  isServing,
  registersElsewhere,
  socketPath,
  speaksV1,
} from '../../registration.ts';
import type { DriverView, NodeView } from '../../view.ts';

const reasons = {
  'queue-overflow': "Kubelet's inotify queue overflowed and the event that told of the socket was dropped.",
  'orphaned-watch':
    'Something was mounted over plugins_registry after kubelet began to watch it: kubelet looks at the hidden directory below.',
  'directory-replaced': 'plugins_registry was removed and made again after kubelet began to watch it.',
  'no-watch': 'Kubelet has no inotify watch on plugins_registry.',
  'watches-exhausted':
    "Kubelet could not watch plugins_registry: the inotify limit of kubelet's user is reached.",
  'events-not-delivered':
    'The file system under plugins_registry does not deliver the events that kubelet waits for.',
  'registration-failed': 'Kubelet saw the socket, tried once to register the driver, and failed.',
  'no-socket': 'The node plugin runs, but no registration socket of it stands in plugins_registry.',
  'not-looked':
    'The node plugin is ready, but CSINode does not list its driver. The node itself was not looked at.',
  unknown: 'Kubelet watches the directory and did not see the socket. What dropped the event left no trace.',
} as const;

type Reason = keyof typeof reasons;

/** The first incident: the socket stands in the registry and answers, and kubelet knows nothing of the driver. */
export default defineRule<Reason>({
  id: 'registration-lost',
  incident: 'registration',
  scope: 'driver',
  title: 'Kubelet never registered the driver',
  needs: [],
  reasons,
  check(driver, node) {
    if (!driver.listed.seen) return { blind: [{ subject: driverSubject(driver), why: driver.listed.why }] };
    if (isRegistered(driver) || registersElsewhere(driver, node)) return well;
    return node.evidence.seen ? checkNode(driver, node) : checkSnapshot(driver);
  },
});

function checkSnapshot(driver: DriverView): Answer<Reason> {
  if (!driver.pod || !isServing(driver.pod) || (driver.listed.seen && driver.listed.value)) return well;
  return found(driver, { reason: 'not-looked', proofs: [] });
}

function checkNode(driver: DriverView, node: NodeView): Answer<Reason> {
  if (!node.evidence.seen) return well;
  const [socket] = answeringSockets(driver).filter(driverAnswers).filter(isV1);
  if (socket) return found(driver, lossOf(driver, node.evidence.value), socketPath(node, socket));
  if (driver.sockets.length === 0 && driver.pod && isServing(driver.pod) && node.evidence.value.entries.seen)
    return found(driver, { reason: 'no-socket', proofs: [] });
  return well;
}

const isV1 = (entry: DriverView['sockets'][number]) =>
  entry.socket?.registration.seen === true && speaksV1(entry.socket.registration.value);

function found(
  driver: DriverView,
  { reason, proofs, limit }: Omit<Loss, 'reason'> & { readonly reason: Reason },
  socket?: HostPath,
): Answer<Reason> {
  const listed = driver.listed.seen && driver.listed.value !== undefined;
  return {
    found: [
      {
        reason,
        severity: 'error',
        subject: { ...driverSubject(driver), ...(socket && { socket }) },
        summary: listed
          ? `kubelet does not hold ${driver.driver}, though CSINode lists it`
          : `${driver.driver} is not registered: pods that use it here wait for ever`,
        proofs: [
          ...(socket
            ? [
                {
                  what: `${socket} answers GetInfo and its driver is ready`,
                  source: 'Registration/GetInfo, Identity/Probe',
                },
              ]
            : []),
          ...(listed ? [] : [{ what: 'CSINode does not list the driver', source: `CSINode ${driver.node}` }]),
          ...(driver.held.seen && !driver.held.value
            ? [{ what: "kubelet's list of plugins lacks it", source: 'plugin_manager_total_plugins' }]
            : []),
          ...proofs,
        ],
        cure: cureOf(driver, reason, limit),
      },
    ],
  };
}

function cureOf({ node }: DriverView, reason: Reason, limit: string | undefined): string {
  const heal = `kubectl csi heal --node ${node}`;
  if (reason === 'not-looked') return `kubectl csi doctor --node ${node} says why; ${heal} cures it`;
  if (reason !== 'watches-exhausted') return heal;
  const [sysctl] = limit?.split(' ') ?? [];
  return `on the node: raise ${sysctl} (sysctl -w, and /etc/sysctl.d to make it last), then ${heal} --max-risk disruptive restarts kubelet`;
}
