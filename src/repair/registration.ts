import { answeringSockets, isRegistered, socketPath } from '../diagnose/registration.ts';
import type { DriverView, NodeView } from '../diagnose/view.ts';
import { errorText } from '../model/error-text.ts';
import type { Folder, KubeletProcess, RegistryEntry } from '../model/evidence.ts';
import type { DriverName } from '../model/ids.ts';
import type { Unit } from '../plan/repair-spec.ts';
import type { Work } from './define-repair.ts';
import { untilWell } from './wait.ts';

/** Milliseconds; kubelet dials a new socket at once and updates CSINode within a second or two. */
const registrationLimitMs = 15_000;

export const driverOf = ({ findings }: Unit): DriverName | undefined =>
  findings.map(({ subject }) => subject.driver).find((driver) => driver !== undefined);

export const driverView = (unit: Unit, { drivers }: NodeView): DriverView | undefined =>
  drivers.find(({ driver }) => driver === driverOf(unit));

/** The registration socket of the unit's driver that answers. */
export function socketOf(unit: Unit, node: NodeView): RegistryEntry | undefined {
  const driver = driverView(unit, node);
  return driver && answeringSockets(driver)[0];
}

export interface Place {
  readonly kubelet: KubeletProcess;
  readonly root: Folder;
  readonly registry: Folder;
}

/** @throws Error when kubelet or its root could not be seen: nothing may be touched then */
export function placeOf({ evidence }: NodeView): Place {
  if (!evidence.seen) throw new Error(evidence.why);
  const { kubelet, root, registry } = evidence.value;
  if (!kubelet.seen) throw new Error(kubelet.why);
  if (!root.seen) throw new Error(root.why);
  if (!registry.seen) throw new Error(registry.why);
  return { kubelet: kubelet.value, root: root.value, registry: registry.value };
}

/** The same, in words, for guards. */
export function unseenPlace(node: NodeView): string | undefined {
  try {
    placeOf(node);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

export async function verifyRegistered({ unit, node, signal }: Work, limitMs = registrationLimitMs) {
  return untilWell(async () => registrationFault(unit, await node.look()), limitMs, signal);
}

function registrationFault(unit: Unit, view: NodeView): string | undefined {
  const driver = driverView(unit, view);
  if (!driver) return `${driverOf(unit)} is not known on ${unit.node}`;
  if (!driver.listed.seen) return driver.listed.why;
  if (!driver.listed.value) return 'CSINode does not list the driver';
  return isRegistered(driver) ? undefined : "kubelet's list of plugins lacks the driver";
}

/** The registry entries that the unit's findings of this rule and reason are about, as far as they are still there. */
export function entriesOfFindings(
  rule: string,
  reason: string,
  { findings }: Unit,
  node: NodeView,
): readonly RegistryEntry[] {
  const own = findings.filter((finding) => finding.rule === rule && finding.reason === reason);
  const paths = own.map(({ subject }) => subject.socket);
  if (!node.evidence.seen || !node.evidence.value.entries.seen) return [];
  return node.evidence.value.entries.value.filter((entry) => paths.includes(socketPath(node, entry)));
}
