import { defineRule, well } from '../../define-rule.ts';
import { answeringSockets, driverSubject, isMute, isServing } from '../../registration.ts';
import type { DriverView } from '../../view.ts';

/** CSINode has listed a driver for days that kubelet had forgotten: only kubelet's own list tells. */
export default defineRule({
  id: 'forgotten-by-kubelet',
  incident: 'registration',
  scope: 'driver',
  title: 'CSINode lists a driver that kubelet does not hold',
  needs: [],
  reasons: {
    'plugin-gone':
      'No node plugin of the driver runs on this node: the entry is a leftover, and the scheduler trusts it.',
    'plugin-runs': 'The node plugin runs, kubelet lost its registration, and CSINode was not told.',
  },
  check(driver, node) {
    if (!driver.listed.seen || !driver.listed.value) return well;
    if (!driver.held.seen) return { blind: [{ subject: driverSubject(driver), why: driver.held.why }] };
    const serves = driver.pod !== undefined && isServing(driver.pod);
    if (driver.held.value || (node.evidence.seen && isLost(driver, serves))) return well;
    return {
      found: [
        {
          reason: serves ? 'plugin-runs' : 'plugin-gone',
          severity: 'error',
          subject: driverSubject(driver),
          summary: `CSINode lists ${driver.driver}, kubelet does not hold it`,
          proofs: [
            { what: 'CSINode lists the driver', source: `CSINode ${driver.node}` },
            { what: "kubelet's list of plugins lacks it", source: 'plugin_manager_total_plugins' },
          ],
          cure: serves
            ? `kubectl csi heal --node ${driver.node}`
            : `bring its node plugin back to ${driver.node}; kubectl csi doctor --node ${driver.node} says what keeps it away`,
        },
      ],
    };
  },
});

/** What `registration-lost` and `registrar-mute` tell with the evidence of the node, and how it is cured. */
const isLost = (driver: DriverView, serves: boolean) =>
  answeringSockets(driver).length > 0 ||
  driver.sockets.some(isMute) ||
  (serves && driver.sockets.length === 0);
