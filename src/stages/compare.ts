import type { ClusterView, NodeView } from '../diagnose/view.ts';
import { watchStateOf } from '../kubelet/watch-state.ts';
import { mapSeen, type Observed } from '../model/observed.ts';
import type { ComparisonReport, Difference } from '../render/report.ts';

type Facts = Readonly<Record<string, string>>;
type Topic = readonly [string, (node: NodeView) => Observed<Facts>];

const none = '(none)';

const topics: readonly Topic[] = [
  ['system', ({ node }) => ({ seen: true, value: systemFacts(node) })],
  [
    'kubelet command line',
    ({ evidence }) => ifSeen(evidence, (each) => mapSeen(each.kubelet, ({ argv }) => flagsOf(argv))),
  ],
  ['kubelet configuration', ({ node }) => mapSeen(node.kubeletConfig, flatten)],
  ['kubelet root', ({ evidence }) => ifSeen(evidence, ({ root }) => mapSeen(root, folderFacts))],
  ['plugins_registry', ({ evidence }) => ifSeen(evidence, ({ registry }) => mapSeen(registry, folderFacts))],
  [
    'watch',
    ({ evidence }) =>
      ifSeen(evidence, (each) => mapSeen(watchStateOf(each), ({ kind }) => ({ kubelet: kind }))),
  ],
  [
    'inotify',
    ({ evidence }) =>
      ifSeen(evidence, ({ limits }) =>
        mapSeen(limits, ({ maxInstances, maxWatches, maxQueuedEvents }) =>
          flatten({ maxInstances, maxWatches, maxQueuedEvents }),
        ),
      ),
  ],
  [
    'drivers',
    ({ node }) =>
      mapSeen(node.csiNode, (drivers) =>
        Object.fromEntries(
          drivers.map(({ driver, allocatable }) => [
            driver,
            `listed${allocatable === undefined ? '' : `, ${allocatable} volumes`}`,
          ]),
        ),
      ),
  ],
];

const ifSeen = <T, U>(observed: Observed<T>, next: (value: T) => Observed<U>): Observed<U> =>
  observed.seen ? next(observed.value) : observed;

/** Where two nodes differ. What is different on every node by nature (names, process ids, inodes) is left out. */
export function compareNodes({ nodes }: ClusterView, first: string, second: string): ComparisonReport {
  const [a, b] = [first, second].map((name) => nodes.find(({ node }) => node.name === name));
  if (!a || !b) throw new Error(`${first} and ${second} are not both in scope`);
  const unseen: string[] = [];
  const differences = topics.flatMap(([topic, factsOf]) => {
    const pair = [factsOf(a), factsOf(b)] as const;
    const [left, right] = pair;
    if (left.seen && right.seen) return differencesOf(topic, left.value, right.value);
    pair.forEach((each, index) => {
      if (!each.seen) unseen.push(`${topic} of ${[first, second][index]}: ${each.why}`);
    });
    return [];
  });
  return { kind: 'Comparison', nodes: [first, second], differences, unseen };
}

function differencesOf(topic: string, left: Facts, right: Facts): readonly Difference[] {
  const items = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return items
    .filter((item) => left[item] !== right[item])
    .map((item) => ({ topic, item, values: [left[item] ?? none, right[item] ?? none] as const }));
}

const systemFacts = ({
  osImage,
  kernelVersion,
  kubeletVersion,
  containerRuntime,
  arch,
  taints,
}: NodeView['node']): Facts => ({
  osImage,
  kernelVersion,
  kubeletVersion,
  containerRuntime,
  arch,
  taints: taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`).join(', '),
});

function folderFacts({ path, mode, mount }: { path: string; mode: string; mount: object }): Facts {
  return { path, mode, ...flatten({ mount }) };
}

const ownName = /^--(hostname-override|node-ip|provider-id|node-labels)$/;

/** `--flag=value` and `--flag value`; flags that name the node are its own by nature. */
function flagsOf(argv: readonly string[]): Facts {
  const entries: [string, string][] = [];
  for (let index = 1; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const [flag = word, value] = word.split(/=(.*)/s);
    const next = argv[index + 1];
    if (value !== undefined) entries.push([flag, value]);
    else if (next !== undefined && !next.startsWith('-')) entries.push([flag, argv[++index] ?? '']);
    else entries.push([flag, 'true']);
  }
  return Object.fromEntries(entries.filter(([flag]) => !ownName.test(flag)));
}

function flatten(value: object, prefix = ''): Facts {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      each !== null && typeof each === 'object' && !Array.isArray(each)
        ? Object.entries(flatten(each, `${prefix}${key}.`))
        : [[`${prefix}${key}`, typeof each === 'string' ? each : JSON.stringify(each)]],
    ),
  );
}
