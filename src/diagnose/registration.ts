import { lossyFileSystem } from '../kubelet/file-systems.ts';
import { type WatchState, watchStateOf } from '../kubelet/watch-state.ts';
import type { NodeEvidence, Registration, RegistryEntry } from '../model/evidence.ts';
import type { Proof, Subject } from '../model/finding.ts';
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

/** CSI v0 ended with Kubernetes 1.17 (kubernetes/kubernetes#82922): kubelet takes version 1 only. */
export const speaksV1 = (registration: Registration) =>
  registration.versions.some((version) => /^v?1(\.|$)/.test(version));

export const driverAnswers = (entry: RegistryEntry) =>
  entry.socket?.driver.seen === true && entry.socket.driver.value.ready;

export type LossReason =
  | 'queue-overflow'
  | 'orphaned-watch'
  | 'directory-replaced'
  | 'no-watch'
  | 'watches-exhausted'
  | 'events-not-delivered'
  | 'registration-failed'
  | 'unknown';

export interface Loss {
  readonly reason: LossReason;
  readonly proofs: readonly Proof[];
  /** The limit that must be raised before a repair can help. */
  readonly limit?: string;
}

const reasonOfState: Readonly<Record<Exclude<WatchState['kind'], 'right' | 'exhausted'>, LossReason>> = {
  orphaned: 'orphaned-watch',
  replaced: 'directory-replaced',
  missing: 'no-watch',
};

const stateWords = (state: WatchState): string => {
  switch (state.kind) {
    case 'right':
      return 'kubelet watches this directory';
    case 'orphaned':
      return `${state.mount} is mounted over the directory, and no watch of kubelet is on what is visible now`;
    case 'replaced':
      return `the directory was made at ${state.bornAt}, after kubelet had started`;
    case 'exhausted':
      return `kubelet has no watch on the directory; ${state.limit}`;
    case 'missing':
      return 'kubelet has no watch on the directory';
  }
};

const fdinfo = 'inotify lines of /proc/KUBELET/fdinfo against the directory';

/** Why kubelet did not see a socket that stands in its registry and answers. The first proof that holds decides. */
export function lossOf(driver: DriverView, evidence: NodeEvidence): Loss {
  const state = watchStateOf(evidence);
  if (!state.seen) return { reason: 'unknown', proofs: [{ what: state.why, source: fdinfo }] };
  const watch: Proof = { what: stateWords(state.value), source: fdinfo };
  if (state.value.kind === 'exhausted')
    return { reason: 'watches-exhausted', proofs: [watch], limit: state.value.limit };
  if (state.value.kind !== 'right') return { reason: reasonOfState[state.value.kind], proofs: [watch] };
  const loss = lossWithWatch(driver, evidence);
  return { ...loss, proofs: [watch, ...loss.proofs] };
}

function lossWithWatch(driver: DriverView, evidence: NodeEvidence): Loss {
  if (valueOr(driver.desired, false))
    return {
      reason: 'registration-failed',
      proofs: [
        {
          what: 'kubelet saw the socket and its registration failed',
          source: 'plugin_manager_total_plugins',
        },
      ],
    };
  const { selfTest, overflowLog, registry } = evidence;
  if (selfTest?.seen && selfTest.value.delivered < selfTest.value.sent)
    return {
      reason: 'events-not-delivered',
      proofs: [
        {
          what: `${selfTest.value.delivered} of ${selfTest.value.sent} events arrived`,
          source: 'self-test (--probe)',
        },
      ],
    };
  const overflow = valueOr(overflowLog, []).at(-1);
  if (overflow) return { reason: 'queue-overflow', proofs: [{ what: overflow, source: "kubelet's log" }] };
  const lossy = registry.seen ? lossyFileSystem(registry.value.mount.fsType) : undefined;
  if (lossy)
    return {
      reason: 'events-not-delivered',
      proofs: [
        { what: `the registry is on ${lossy}, which loses events`, source: '/proc/KUBELET/mountinfo' },
      ],
    };
  return { reason: 'unknown', proofs: [] };
}

export const socketPath = ({ evidence }: NodeView, { name }: RegistryEntry) =>
  hostPath(
    evidence.seen && evidence.value.registry.seen ? `${evidence.value.registry.value.path}/${name}` : name,
  );
