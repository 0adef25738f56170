import type { Proof } from '../../../model/finding.ts';
import { keyText } from '../../../model/ids.ts';
import type { PluginPod } from '../../../model/snapshot.ts';
import { defineRule, well } from '../../define-rule.ts';
import { driverOfPlugin, knownDrivers } from '../../names.ts';
import { answeringSockets, driverSubject, socketPath } from '../../registration.ts';
import type { DriverView, NodeView } from '../../view.ts';

/**
 * Kubelet keeps one endpoint a driver name (pkg/volume/csi, RegisterPlugin). It refuses the second one, whose registrar
 * then ends and starts again and again: so its socket is there for moments only, and its pod must tell.
 */
export default defineRule({
  id: 'duplicate-driver',
  incident: 'registration',
  scope: 'driver',
  title: 'Several drivers register under one name',
  needs: ['agent'],
  reasons: {
    'same-name':
      'Several node plugins register the same driver name here: which one kubelet calls depends on who came first.',
  },
  check(driver, node) {
    const sockets = answeringSockets(driver);
    const owners = ownersOf(driver, node);
    if (sockets.length < 2 && owners.length < 2) return well;
    const pods = owners.map(
      (owner): Proof => ({ what: `${owner} registers it`, source: 'pods on the node' }),
    );
    const answers = sockets.map((entry): Proof => {
      const registration = entry.socket?.registration;
      const endpoint = registration?.seen ? registration.value.endpoint : 'unknown';
      return { what: `a socket names it, with endpoint ${endpoint}`, source: socketPath(node, entry) };
    });
    const rivals = owners.length > 1 ? owners : sockets.map((entry) => socketPath(node, entry));
    return {
      found: [
        {
          reason: 'same-name',
          severity: 'error',
          subject: driverSubject(driver),
          summary: `${rivals.length} node plugins register ${driver.driver}: ${rivals.join(', ')}`,
          proofs: [...pods, ...answers],
          cure: `remove all but one of ${rivals.join(' and ')}, or give their drivers names of their own`,
        },
      ],
    };
  },
});

/** Who owns the pods that register the driver here. A DaemonSet that is being rolled has two pods, and is one owner. */
function ownersOf({ driver }: DriverView, { pluginPods, snapshot }: NodeView): readonly string[] {
  const hinted = pluginPods.filter((pod) => !pod.deleting && pod.nameHints.includes(driver));
  if (hinted.length < 2) return [];
  const known = knownDrivers(snapshot);
  return [...new Set(hinted.filter((pod) => driverOfPlugin(pod, known) === driver).map(ownerOf))];
}

const ownerOf = ({ owner, key }: PluginPod) =>
  owner ? owner.replace('/', ` ${key.namespace}/`) : `pod ${keyText(key)}`;
