import { isIgnoredName } from '../kubelet/paths.ts';
import type { Registration, RegistryEntry } from '../model/evidence.ts';
import type { Subject } from '../model/finding.ts';
import { hostPath } from '../model/ids.ts';
import { valueOr } from '../model/observed.ts';
import type { PluginPod } from '../model/snapshot.ts';
import { type Answer, type Draft, well } from './define-rule.ts';
import type { DriverView, NodeView } from './view.ts';

export const driverSubject = ({ node, driver, pod }: DriverView): Subject => ({
  node,
  driver,
  ...(pod && { pod: pod.key }),
});

/** A driver is registered when CSINode lists it and kubelet, where its word could be had, holds it. */
export function isRegistered({ listed, held }: DriverView): boolean {
  return listed.seen && listed.value !== undefined && valueOr(held, true);
}

export interface KubeletRoot {
  readonly path: string;
  readonly source: string;
}

/** Kubelet's own word first: the command line, else the sockets in its metrics. */
export function kubeletRootOf({ evidence, node }: NodeView): KubeletRoot | undefined {
  if (evidence.seen && evidence.value.root.seen)
    return { path: evidence.value.root.value.path, source: "kubelet's command line" };
  if (!node.kubeletPlugins.seen) return undefined;
  const [socket] = node.kubeletPlugins.value.actual;
  const end = socket?.indexOf('/plugins_registry/') ?? -1;
  return socket && end > 0
    ? { path: socket.slice(0, end), source: 'plugin_manager_total_plugins' }
    : undefined;
}

/** The node plugin's pod mounts a folder as its registry that is not this kubelet's. */
export function registersElsewhere({ pod }: DriverView, node: NodeView): boolean {
  const root = kubeletRootOf(node);
  if (!root || !pod) return false;
  return pod.registryPath.replace(/\/+$/, '') !== `${root.path}/plugins_registry`;
}

/** Asks about each entry of the node's registry; a registry that could not be read is a blind spot. */
export function checkEntries<Reason extends string>(
  { node, evidence }: NodeView,
  check: (entry: RegistryEntry) => readonly Draft<Reason>[],
): Answer<Reason> {
  if (!evidence.seen) return well;
  const { entries } = evidence.value;
  if (!entries.seen) return { blind: [{ subject: { node: node.name }, why: entries.why }] };
  return { found: entries.value.flatMap(check) };
}

export const isServing = (pod: PluginPod) =>
  pod.phase === 'Running' && !pod.deleting && pod.containers.every((container) => container.ready);

/** The registration sockets of a driver that answer as a CSI registration should. */
export const answeringSockets = (driver: DriverView) =>
  driver.sockets.filter(
    (entry) => entry.socket?.registration.seen && entry.socket.registration.value.type === 'CSIPlugin',
  );

export const isRefused = (entry: RegistryEntry) => entry.socket?.connect.state === 'refused';

/** A registration socket whose listener hangs: it takes connections, or keeps them waiting, and does not answer. */
export function isMute({ name, socket }: RegistryEntry): boolean {
  if (!socket || isIgnoredName(name) || socket.registration.seen || socket.speaksCsi) return false;
  return socket.connect.state === 'silent' || (socket.connect.state === 'accepted' && socket.asked);
}

/** CSI v0 ended with Kubernetes 1.17 (kubernetes/kubernetes#82922): kubelet takes version 1 only. */
export const speaksV1 = (registration: Registration) =>
  registration.versions.some((version) => /^v?1(\.|$)/.test(version));

export const driverAnswers = (entry: RegistryEntry) =>
  entry.socket?.driver.seen === true && entry.socket.driver.value.ready;

export const socketPath = ({ evidence }: NodeView, { name }: RegistryEntry) =>
  hostPath(
    evidence.seen && evidence.value.registry.seen ? `${evidence.value.registry.value.path}/${name}` : name,
  );
