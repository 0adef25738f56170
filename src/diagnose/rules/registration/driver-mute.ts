import type { RegistryEntry } from '../../../model/evidence.ts';
import { type Draft, defineRule } from '../../define-rule.ts';
import { answeringSockets, driverAnswers, driverSubject, socketPath } from '../../registration.ts';
import { restartAdvice } from '../../restart-advice.ts';
import type { DriverView, NodeView } from '../../view.ts';

/** Kubelet calls NodeGetInfo on the endpoint while it registers; a mute driver makes the registration fail. */
export default defineRule({
  id: 'driver-mute',
  incident: 'registration',
  scope: 'driver',
  title: 'The registrar answers, the driver does not',
  link: 'plugin',
  needs: ['agent'],
  reasons: {
    'no-answer': 'The CSI socket that the registrar names gives no answer to Identity calls.',
    'not-ready': 'The driver answers Probe with ready=false.',
  },
  check: (driver, node) => ({
    found: answeringSockets(driver).flatMap((entry) => mute(driver, node, entry)),
  }),
});

function mute(
  driver: DriverView,
  node: NodeView,
  entry: RegistryEntry,
): readonly Draft<'no-answer' | 'not-ready'>[] {
  if (driverAnswers(entry) || !entry.socket?.registration.seen) return [];
  const { endpoint } = entry.socket.registration.value;
  const answer = entry.socket.driver;
  const socket = socketPath(node, entry);
  return [
    {
      reason: answer.seen ? 'not-ready' : 'no-answer',
      severity: 'error',
      subject: { ...driverSubject(driver), socket },
      summary: `${driver.driver} does not answer on ${endpoint}`,
      proofs: [
        { what: 'the registrar answers GetInfo', source: socket },
        { what: answer.seen ? 'Probe says ready=false' : answer.why, source: endpoint },
      ],
      cure: driver.pod
        ? `look at the driver's container: kubectl -n ${driver.pod.key.namespace} logs ${driver.pod.key.name} --all-containers --tail=50; to restart it: ${restartAdvice(node, driver.driver, driver.pod)}`
        : 'no node plugin pod was found for it; see who listens on the socket',
    },
  ];
}
