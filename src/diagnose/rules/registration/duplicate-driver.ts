import { defineRule, well } from '../../define-rule.ts';
import { answeringSockets, driverSubject, socketPath } from '../../registration.ts';

/** Kubelet keeps one endpoint a driver name; the newer registration replaces the older (pkg/volume/csi, RegisterPlugin). */
export default defineRule({
  id: 'duplicate-driver',
  incident: 'registration',
  scope: 'driver',
  title: 'Several drivers register under one name',
  needs: ['agent'],
  reasons: {
    'same-name':
      'Two registration sockets name the same driver: which one kubelet calls depends on who came last.',
  },
  check(driver, node) {
    const sockets = answeringSockets(driver);
    if (sockets.length < 2) return well;
    const paths = sockets.map((entry) => socketPath(node, entry));
    return {
      found: [
        {
          reason: 'same-name',
          severity: 'error',
          subject: driverSubject(driver),
          summary: `${sockets.length} registration sockets name ${driver.driver}`,
          proofs: sockets.map((entry) => ({
            what: entry.socket?.registration.seen
              ? `endpoint ${entry.socket.registration.value.endpoint}`
              : '',
            source: socketPath(node, entry),
          })),
          cure: `remove all but one of the node plugins behind ${paths.join(' and ')}, or give them names of their own`,
        },
      ],
    };
  },
});
