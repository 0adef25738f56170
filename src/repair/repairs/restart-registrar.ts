import { answeringSockets, isMute } from '../../diagnose/registration.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import { endRegistrar, sharedRegistrar } from '../registrars.ts';
import { driverView, unseenPlace, verifyRegistered } from '../registration.ts';
import { untilWell } from '../wait.ts';

/** Milliseconds; kubelet starts the container again at once, the first time. */
const limitMs = 30_000;

/** A registrar that starts makes its socket anew, which kubelet sees. The driver's own container is not touched. */
export default defineRepair({
  id: 'restart-registrar',
  title: "Restart the registrar's container",
  rank: 30,
  risk: 'disruptive',
  cures: [
    { rule: 'registrar-mute', reasons: ['no-answer'] },
    {
      rule: 'registration-lost',
      reasons: ['no-socket', 'queue-overflow', 'registration-failed', 'events-not-delivered', 'unknown'],
    },
  ],
  describe: (unit, node) =>
    `end the process of the registrar of ${driverView(unit, node)?.driver}, so that kubelet starts its container again`,
  bars(unit, node) {
    const driver = driverView(unit, node);
    return driver ? (sharedRegistrar(driver) ?? unseenPlace(node)) : 'the driver is not known on the node';
  },
  async act({ unit, view, node }) {
    const driver = driverView(unit, view);
    if (driver) await endRegistrar(driver, node);
  },
  verify: async (work) =>
    (await verifyRegistered(work, limitMs)) ?? untilWell(() => silence(work), limitMs, work.signal),
  undo: { nothing: 'kubelet starts the container again' },
});

/** Kubelet may hold a driver whose registrar hangs: that it is registered proves nothing of the registrar. */
async function silence({ unit, node }: Work): Promise<string | undefined> {
  const driver = driverView(unit, await node.observe());
  const answers = driver && answeringSockets(driver).length > 0 && !driver.sockets.some(isMute);
  return answers ? undefined : 'its registrar does not answer';
}
