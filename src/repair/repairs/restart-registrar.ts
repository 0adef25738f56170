import { defineRepair } from '../define-repair.ts';
import { endRegistrar, sharedRegistrar } from '../registrars.ts';
import { driverView, unseenPlace, verifyRegistered } from '../registration.ts';

/** Milliseconds; kubelet starts the container again at once, the first time. */
const limitMs = 30_000;

/** A registrar that starts makes its socket anew, which kubelet sees. The driver's own container is not touched. */
export default defineRepair({
  id: 'restart-registrar',
  title: "Restart the registrar's container",
  rank: 30,
  risk: 'disruptive',
  cures: [
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
  verify: (work) => verifyRegistered(work, limitMs),
  undo: { nothing: 'kubelet starts the container again' },
});
