import { defineRule, well } from '../../define-rule.ts';
import { crowdText, overCrowded } from '../../limits.ts';
import { driverSubject } from '../../registration.ts';

/** Without a CSINode entry the scheduler knows no limit and places pods without end (kubernetes/kubernetes#126921). */
export default defineRule({
  id: 'over-committed',
  incident: 'registration',
  scope: 'driver',
  title: 'More volumes are on the node than the driver takes',
  link: 'attachment',
  needs: [],
  reasons: {
    'past-the-limit':
      'Pods were placed here while CSINode had no entry of the driver, most often after a lost registration: the scheduler knew no limit then. Volumes past the limit do not attach.',
  },
  check(driver, { snapshot, node }) {
    if (!driver.listed.seen || driver.listed.value?.allocatable === undefined) return well;
    if (!snapshot.volumeUses.seen)
      return { blind: [{ subject: driverSubject(driver), why: snapshot.volumeUses.why }] };
    const here = { ...snapshot, nodes: [node] };
    const [crowd] = overCrowded(here, new Set([driver.driver]), 1);
    if (!crowd) return well;
    const proofs = [{ what: crowdText(crowd), source: `CSINode ${node.name}, and the pods there` }];
    return {
      found: [
        {
          reason: 'past-the-limit',
          severity: 'warning',
          subject: { node: node.name, driver: driver.driver },
          summary: `${crowd.volumes} volumes of ${crowd.driver} are wanted here, and it takes ${crowd.limit}`,
          proofs,
          cure: `kubectl cordon ${node.name}, then delete the pods whose volumes do not attach, so that they are placed elsewhere; kubectl uncordon ${node.name}`,
        },
      ],
    };
  },
});
