import type { ObjectKey } from '../model/ids.ts';
import { valueOr } from '../model/observed.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Capture } from './capture.ts';

/** Names that say nothing of their owner and that rules need as they are. */
const kept = /^(kube-system|default|kubelet|ready|running|Running)$/;

/**
 * Replaces every name of the cluster (nodes, drivers, pods, namespaces, claims) by a token, the same one each time, so
 * that findings stay the same. Free texts are searched for the names too.
 */
export function redact(capture: Capture): Capture {
  const tokens = tokensOf(capture);
  const names = [...tokens.keys()].sort((a, b) => b.length - a.length);
  if (names.length === 0) return capture;
  const pattern = new RegExp(names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  const text = JSON.stringify({ ...capture, snapshot: withoutLabels(capture) });
  return JSON.parse(text.replace(pattern, (name) => tokens.get(name) ?? name)) as Capture;
}

type Name = readonly [kind: string, name: string | undefined];

function tokensOf({ snapshot }: Capture): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const [kind, name] of namesOf(snapshot))
    if (name && name.length > 2 && !kept.test(name) && !tokens.has(name))
      tokens.set(name, `${kind}-${tokens.size + 1}`);
  return tokens;
}

const objectNames = (key: ObjectKey | undefined): readonly Name[] => [
  ['object', key?.name],
  ['namespace', key?.namespace],
];

function namesOf(snapshot: Snapshot): readonly Name[] {
  const listed = snapshot.nodes.flatMap(({ csiNode }) => valueOr(csiNode, []));
  const workloads = [...valueOr(snapshot.pluginPods, []), ...valueOr(snapshot.daemonSets, [])];
  return [
    ...snapshot.nodes.map(({ name }): Name => ['node', name]),
    ...listed.flatMap(({ driver, nodeId }): readonly Name[] => [
      ['driver', driver],
      ['id', nodeId],
    ]),
    ...valueOr(snapshot.csiDrivers, []).map(({ name }): Name => ['driver', name]),
    ...workloads.flatMap(({ key }) => objectNames(key)),
    ...valueOr(snapshot.volumeUses, []).flatMap((use): readonly Name[] => [
      ['driver', use.driver],
      ...objectNames(use.pod),
      ...objectNames(use.claim),
      ['volume', use.volumeHandle],
      ['volume', use.persistentVolume],
    ]),
  ];
}

const withoutLabels = ({ snapshot }: Capture) => ({
  ...snapshot,
  nodes: snapshot.nodes.map((node) => ({ ...node, uid: '', labels: {} })),
});
