import { defineRule } from '../../define-rule.ts';
import { answeringSockets, driverSubject, socketPath, speaksV1 } from '../../registration.ts';

export default defineRule({
  id: 'csi-v0',
  incident: 'registration',
  scope: 'driver',
  title: 'The driver speaks CSI v0 only',
  needs: ['agent'],
  reasons: { 'v0-only': 'Kubelet dropped CSI v0 in 1.17 and refuses to register such a driver.' },
  check(driver, node) {
    return {
      found: answeringSockets(driver).flatMap((entry) => {
        if (!entry.socket?.registration.seen || speaksV1(entry.socket.registration.value)) return [];
        const versions = entry.socket.registration.value.versions.join(', ') || 'none';
        return [
          {
            reason: 'v0-only' as const,
            severity: 'error' as const,
            subject: { ...driverSubject(driver), socket: socketPath(node, entry) },
            summary: `${driver.driver} offers CSI version ${versions}; kubelet ${node.node.kubeletVersion} needs 1.x`,
            proofs: [{ what: `GetInfo names the versions ${versions}`, source: socketPath(node, entry) }],
            cure: 'upgrade the driver (and its node-driver-registrar to 1.1 or later)',
          },
        ];
      }),
    };
  },
});
