import type {
  NodeSelectorTerm,
  NodeSnapshot,
  PluginDaemonSet,
  SelectorRequirement,
  Taint,
  Toleration,
} from '../model/snapshot.ts';

/** What keeps a DaemonSet's pod off a node; undefined where nothing in its spec does. */
export type Obstacle = { readonly kind: 'selector' | 'taint'; readonly detail: string };

/** The node conditions that the DaemonSet controller tolerates for its pods (pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations). */
const toleratedByController: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/network-unavailable',
]);

export function obstacleOf(set: PluginDaemonSet, node: NodeSnapshot): Obstacle | undefined {
  const label = Object.entries(set.nodeSelector).find(([key, value]) => node.labels[key] !== value);
  if (label) return { kind: 'selector', detail: `nodeSelector ${label[0]}=${label[1]}` };
  if (set.affinity.length > 0 && !set.affinity.some((term) => matchesTerm(term, node)))
    return { kind: 'selector', detail: 'node affinity' };
  const taint = node.taints.find(
    (each) => repels(each) && !set.tolerations.some((one) => tolerates(one, each)),
  );
  return taint && { kind: 'taint', detail: taintText(taint) };
}

export const taintText = ({ key, value, effect }: Taint) => `${key}${value ? `=${value}` : ''}:${effect}`;

const repels = (taint: Taint) => taint.effect !== 'PreferNoSchedule' && !toleratedByController.has(taint.key);

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.operator === 'Exists') return toleration.key === '' || toleration.key === taint.key;
  return toleration.key === taint.key && toleration.value === taint.value;
}

const matchesTerm = ({ labels, fields }: NodeSelectorTerm, node: NodeSnapshot) =>
  labels.every((each) => meets(each, node.labels[each.key])) &&
  fields.every((each) => meets(each, each.key === 'metadata.name' ? node.name : undefined));

function meets({ operator, values }: SelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}
