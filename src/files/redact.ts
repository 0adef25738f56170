import type { ObjectKey } from '../model/ids.ts';
import { mapSeen, valueOr } from '../model/observed.ts';
import type { PluginDaemonSet, Snapshot } from '../model/snapshot.ts';
import type { Capture } from './capture.ts';

/** Names that say nothing of their owner and that stand in every cluster. */
const kept: ReadonlySet<string> = new Set(['kube-system', 'default', 'kubelet']);

/** Fields whose values are words of Kubernetes or of this program: a pod named `socket` must not change them. */
const words: ReadonlySet<string> = new Set([
  'kind',
  'state',
  'phase',
  'type',
  'os',
  'arch',
  'operator',
  'effect',
  'propagation',
  'fsType',
  'selinux',
]);

/**
 * Replaces every name of the cluster (nodes, drivers, pods, namespaces, claims, volumes) by a token, the same one each
 * time, so that findings stay the same. Free texts and paths are searched for the names too.
 */
export function redact(capture: Capture): Capture {
  const tokens = tokensOf(capture);
  const names = [...tokens.keys()].sort((a, b) => b.length - a.length);
  if (names.length === 0) return capture;
  const quoted = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<!\\w)(?:${quoted.join('|')})(?!\\w)`, 'g');
  const hide = (text: string) => text.replace(pattern, (name) => tokens.get(name) ?? name);
  return {
    ...capture,
    snapshot: mapTexts(withHiddenKeys(withoutLabels(capture.snapshot), hide), hide),
    evidence: mapTexts(capture.evidence, hide),
  };
}

/** The same value with every string in it changed, except words and the names of fields. */
function mapTexts<T>(value: T, change: (text: string) => string): T;
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, words.has(key) ? each : mapTexts(each, change)]),
  );
}

type Name = readonly [kind: string, name: string | undefined];

function tokensOf({ snapshot }: Capture): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const [kind, name] of namesOf(snapshot))
    if (name && name.length > 1 && !kept.has(name) && !tokens.has(name))
      tokens.set(name, `${kind}-${tokens.size + 1}`);
  return tokens;
}

const objectNames = (key: ObjectKey | undefined): readonly Name[] => [
  ['object', key?.name],
  ['namespace', key?.namespace],
];

/** @param owner `kind/name` */
const ownerName = (owner: string | undefined): Name => ['object', owner?.split('/')[1]];

function namesOf(snapshot: Snapshot): readonly Name[] {
  const listed = snapshot.nodes.flatMap(({ csiNode }) => valueOr(csiNode, []));
  const pods = valueOr(snapshot.pluginPods, []);
  return [
    ...snapshot.nodes.map(({ name }): Name => ['node', name]),
    ...listed.flatMap(({ driver, nodeId }): readonly Name[] => [
      ['driver', driver],
      ['id', nodeId],
    ]),
    ...valueOr(snapshot.csiDrivers, []).map(({ name }): Name => ['driver', name]),
    ...valueOr(snapshot.daemonSets, []).flatMap(({ key }) => objectNames(key)),
    ...pods.flatMap(({ key, owner, serviceAccount, imagePullSecrets }): readonly Name[] => [
      ...objectNames(key),
      ownerName(owner),
      ...[serviceAccount, ...imagePullSecrets].map((name): Name => ['object', name]),
    ]),
    ...(snapshot.secondPlugins ? valueOr(snapshot.secondPlugins, []) : []).flatMap(({ key }) =>
      objectNames(key),
    ),
    ...valueOr(snapshot.volumeUses, []).flatMap((use): readonly Name[] => [
      ['driver', use.driver],
      ...objectNames(use.pod),
      ...objectNames(use.claim),
      ownerName(use.owner),
      ['volume', use.volumeHandle],
      ['volume', use.persistentVolume],
    ]),
  ];
}

const withKeys = <T>(record: Readonly<Record<string, T>>, change: (key: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [change(key), value]));

/** Labels are the owner's words and go, except those that decide where a node plugin runs. */
function withoutLabels(snapshot: Snapshot): Snapshot {
  const deciding = new Set(valueOr(snapshot.daemonSets, []).flatMap(selectingLabels));
  const nodes = snapshot.nodes.map((node) => ({
    ...node,
    uid: '',
    labels: Object.fromEntries(Object.entries(node.labels).filter(([key]) => deciding.has(key))),
  }));
  return { ...snapshot, nodes };
}

const selectingLabels = ({ nodeSelector, affinity }: PluginDaemonSet) => [
  ...Object.keys(nodeSelector),
  ...affinity.flatMap(({ labels }) => labels.map(({ key }) => key)),
];

/** The records of a snapshot whose keys are not ours: labels, and volumes counted by driver. */
const withHiddenKeys = (snapshot: Snapshot, hide: (key: string) => string): Snapshot => ({
  ...snapshot,
  nodes: snapshot.nodes.map((node) => ({
    ...node,
    labels: withKeys(node.labels, hide),
    kubeletVolumes: mapSeen(node.kubeletVolumes, (counts) => withKeys(counts, hide)),
  })),
  daemonSets: mapSeen(snapshot.daemonSets, (sets) =>
    sets.map((set) => ({ ...set, nodeSelector: withKeys(set.nodeSelector, hide) })),
  ),
});
