import type { Diagnosis, Finding, Severity } from '../model/finding.ts';
import type { Answer, Need, Rule } from './define-rule.ts';
import type { PodView } from './pod-view.ts';
import type { ClusterView, NodeView, VolumeView } from './view.ts';

const order: readonly Severity[] = ['error', 'warning', 'notice'];
const bySeverity = (a: Finding, b: Finding) => order.indexOf(a.severity) - order.indexOf(b.severity);

/**
 * Asks every rule whose needs were observed.
 * @param looked what was observed besides the API server; rules that need more are not asked
 */
export function diagnose(cluster: ClusterView, rules: readonly Rule[], looked: readonly Need[]): Diagnosis {
  const asked = rules.filter((rule) => rule.needs.every((need) => looked.includes(need)));
  const answers = asked.flatMap((rule) => ask(rule, cluster).map((answer) => ({ rule, answer })));
  return {
    findings: answers
      .flatMap(({ rule, answer }) => (answer.found ?? []).map((draft) => ({ rule: rule.id, ...draft })))
      .sort(bySeverity),
    blindSpots: answers.flatMap(({ rule, answer }) =>
      (answer.blind ?? []).map((blind) => ({ rule: rule.id, ...blind })),
    ),
  };
}

function ask(rule: Rule, cluster: ClusterView): readonly Answer[] {
  switch (rule.scope) {
    case 'cluster':
      return [rule.check(cluster)];
    case 'node':
      return cluster.nodes.map((node) => askNode(rule, node, () => rule.check(node)));
    case 'volume':
      return cluster.nodes.flatMap((node) => askVolumes(node, (volume) => rule.check(volume, node)));
    case 'pod':
      return cluster.pod ? [askPod(rule, cluster.pod, rule.check)] : [];
    case 'driver':
      return cluster.nodes.flatMap((node) =>
        node.drivers.map((driver) => askNode(rule, node, () => rule.check(driver, node))),
      );
  }
}

/** Mounts that could not be looked at are a blind spot of every rule about volumes. */
function askVolumes({ node, volumes }: NodeView, check: (volume: VolumeView) => Answer): readonly Answer[] {
  if (!volumes.seen) return [{ blind: [{ subject: { node: node.name }, why: volumes.why }] }];
  return volumes.value.map(check);
}

/** A rule that needs the agent is blind on a node where none could run; it never passes there as well. */
function askNode(rule: Rule, { node, evidence }: NodeView, check: () => Answer): Answer {
  if (!rule.needs.includes('agent') || evidence.seen) return check();
  return { blind: [{ subject: { node: node.name }, why: evidence.why }] };
}

/** A pod without a node of which anything could be seen has no mounts: nothing is hidden from such a rule. */
function askPod(rule: Rule, pod: PodView, check: (pod: PodView) => Answer): Answer {
  if (!rule.needs.includes('agent') || !pod.node || pod.node.evidence.seen) return check(pod);
  return {
    blind: [{ subject: { node: pod.node.node.name, pod: pod.facts.key }, why: pod.node.evidence.why }],
  };
}
