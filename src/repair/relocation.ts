import { answeringSockets, isRegistered, socketPath } from '../diagnose/registration.ts';
import type { NodeView } from '../diagnose/view.ts';
import { mountUnit, mountUnitName } from '../kubelet/mount-unit.ts';
import { isIgnoredName } from '../kubelet/paths.ts';
import { supervisionOf } from '../kubelet/supervision.ts';
import type { RegistryEntry } from '../model/evidence.ts';
import { agentArgs } from '../protocol/protocol.gen.ts';
import type { Work } from './define-repair.ts';
import type { NodePort } from './ports.ts';
import { endRegistrar, servedDrivers, sharedRegistrar } from './registrars.ts';
import { placeOf, unseenPlace } from './registration.ts';
import { kubeletBar, restartKubelet } from './restart-kubelet.ts';
import { untilWell } from './wait.ts';

/** The source of the mounts that the agent makes; by it a covered registry is known again. */
export const coverSource = 'kubectl-csi';

/** Milliseconds for all drivers to register again, their registrars' containers started anew. */
const limitMs = 60_000;

export const isCovered = (node: NodeView) => {
  const { registry } = placeOf(node);
  return registry.mount.mountPoint === registry.path && registry.mount.source === coverSource;
};

/** Why the registry of this node must not be moved, either way. */
export function relocationBar(node: NodeView, force: boolean): string | undefined {
  const unseen = unseenPlace(node) ?? kubeletBar(node, force);
  if (unseen) return unseen;
  return (
    strangeSocket(node) ??
    servedDrivers(node)
      .map(sharedRegistrar)
      .find((bar) => bar !== undefined)
  );
}

/**
 * A mount over the registry hides every socket in it. Only registrars are ended to make theirs anew: the plugin behind
 * another socket (DRA, device plugin), or one that does not answer, would stay hidden.
 */
function strangeSocket(node: NodeView): string | undefined {
  const { entries } = node.evidence.seen ? node.evidence.value : {};
  if (!entries?.seen) return entries?.why;
  const known = servedDrivers(node).flatMap(answeringSockets);
  const strange = entries.value.find(
    (entry) => isServed(entry) && !known.some(({ name }) => name === entry.name),
  );
  if (!strange) return undefined;
  const registration = strange.socket?.registration;
  const what = registration?.seen
    ? `belongs to a ${registration.value.type}`
    : 'does not answer GetInfo as a CSI driver does';
  return `${socketPath(node, strange)} ${what}: the move would hide it and nothing would make it anew`;
}

const isServed = ({ name, socket }: RegistryEntry) =>
  !isIgnoredName(name) && (socket?.connect.state === 'accepted' || socket?.connect.state === 'silent');

/** Mounts (or unmounts) the tmpfs, restarts kubelet to watch what is visible now, and ends the registrars alone. */
export async function moveRegistry({ view, node, signal }: Work, undo: boolean): Promise<void> {
  const { kubelet, root } = placeOf(view);
  const served = servedDrivers(view);
  await node.agent(
    agentArgs.cover({ at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path, undo }),
  );
  await restartKubelet(kubelet, node, signal);
  for (const driver of served) await endRegistrar(driver, node);
}

/** Every driver that was served before is registered again. @returns who is missing, or undefined */
export async function verifyMoved(
  { view, node, signal }: Work,
  covered: boolean,
): Promise<string | undefined> {
  const expected = servedDrivers(view).map(({ driver }) => driver);
  const missing = await untilWell(
    async () => {
      const now = await node.look();
      const lost = expected.filter(
        (name) => !now.drivers.some((each) => each.driver === name && isRegistered(each)),
      );
      return lost.length > 0 ? `not registered again: ${lost.join(', ')}` : undefined;
    },
    limitMs,
    signal,
  );
  if (missing) return missing;
  if (isCovered(await node.observe()) === covered) return undefined;
  return covered ? 'the tmpfs is not on the registry' : 'the tmpfs is still on the registry';
}

/** Makes the move last over a reboot, or no longer. Does nothing on a node without systemd. */
export async function keepOverReboot(view: NodeView, node: NodePort, keep: boolean): Promise<void> {
  const unit = kubeletUnit(view);
  if (!unit) return;
  const { registry } = placeOf(view);
  const name = mountUnitName(registry.path);
  if (keep) await node.agent(agentArgs.unitFile({ name, content: mountUnit(registry.path, unit) }));
  await node.agent(agentArgs.systemctl({ verb: 'daemon-reload' }));
  await node.agent(agentArgs.systemctl({ verb: keep ? 'enable' : 'disable', unit: name }));
  if (keep) return;
  await node.agent(agentArgs.unitFile({ name, remove: true }));
  await node.agent(agentArgs.systemctl({ verb: 'daemon-reload' }));
}

/** Kubelet's systemd unit; undefined where something else supervises it. */
export function kubeletUnit(node: NodeView): string | undefined {
  const supervision = supervisionOf(placeOf(node).kubelet);
  return supervision.kind === 'unit' ? supervision.unit : undefined;
}
