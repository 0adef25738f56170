import { type Draft, defineRule, well } from '../../define-rule.ts';
import { driverSubject } from '../../registration.ts';
import type { DriverView } from '../../view.ts';

type Reason = 'old-version' | 'probe-mode';

/** Before 2.0 the registrar keeps running when it loses the driver's socket (IBM/datashim#83). */
const oldestGoodMajor = 2;

export default defineRule<Reason>({
  id: 'old-registrar',
  incident: 'registration',
  scope: 'driver',
  title: 'The node-driver-registrar is out of date',
  needs: [],
  reasons: {
    'old-version':
      'Versions before 2.0 do not notice that the driver went away, and do not register it again.',
    'probe-mode':
      'The mode kubelet-registration-probe proves nothing since 2.9: it always succeeds (kubernetes-csi/node-driver-registrar#309).',
  },
  check(driver) {
    const registrar = driver.pod?.registrar;
    if (!registrar) return well;
    const version = /registrar[^:@/]*:v?(\d+)\.(\d+)/.exec(registrar.image);
    const found: Draft<Reason>[] = [];
    if (version && Number(version[1]) < oldestGoodMajor)
      found.push(
        draft(
          driver,
          'old-version',
          'warning',
          `the registrar of ${driver.driver} is ${registrar.image}`,
          'use node-driver-registrar 2.x',
        ),
      );
    if (registrar.args.some((arg) => arg.includes('kubelet-registration-probe')))
      found.push(
        draft(
          driver,
          'probe-mode',
          'notice',
          `the registrar of ${driver.driver} uses kubelet-registration-probe`,
          'remove that probe; kubectl csi status asks kubelet itself',
        ),
      );
    return { found };
  },
});

const draft = (
  driver: DriverView,
  reason: Reason,
  severity: Draft['severity'],
  summary: string,
  cure: string,
): Draft<Reason> => ({
  reason,
  severity,
  subject: driverSubject(driver),
  summary,
  proofs: [{ what: summary, source: `pod ${driver.pod?.key.namespace}/${driver.pod?.key.name}` }],
  cure,
});
