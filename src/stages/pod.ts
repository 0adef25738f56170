import type { CommandContext } from '../cli/context.ts';
import { type ExitCode, exitCode } from '../cli/exit-code.ts';
import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import { blockerOf, concernsPod } from '../diagnose/blocker.ts';
import type { Need } from '../diagnose/define-rule.ts';
import { linkOf } from '../diagnose/define-rule.ts';
import { diagnose } from '../diagnose/diagnose.ts';
import { joinView } from '../diagnose/join.ts';
import { joinPod } from '../diagnose/join-pod.ts';
import type { PodView } from '../diagnose/pod-view.ts';
import { rules } from '../diagnose/rules/index.gen.ts';
import { statusText, verdictOf } from '../diagnose/verdict.ts';
import type { ClusterView } from '../diagnose/view.ts';
import { type LinkedFinding, walkOf } from '../diagnose/walk.ts';
import type { LogLine } from '../model/evidence.ts';
import type { Diagnosis, Finding } from '../model/finding.ts';
import { type Observed, unseen } from '../model/observed.ts';
import type { PodFacts } from '../model/pod.ts';
import { caseOf } from './cases.ts';
import { codeOf } from './judge.ts';
import { type LookOptions, readOnly, visit } from './look.ts';
import type { Target } from './target.ts';

/** `doctor pod/X`: walks from the claim to the container and names the one link that is broken. Only reads. */
export async function diagnosePod(
  context: CommandContext,
  flags: Flags,
  target: Target,
  options: LookOptions,
): Promise<ExitCode> {
  const facts = ofDriver(flags, await factsOf(context, target));
  checkNode(flags, facts);
  const { view, looked, log } = await sightOf(context, withoutTarget(flags, facts), facts, options);
  const pod = joinPod(view.snapshot, view.nodes, facts, log);
  const diagnosis = judge({ ...view, pod }, pod, looked);
  const linked = diagnosis.findings.map((finding) => ({ finding, link: linkOfFinding(finding) }));
  const blocker = blockerOf(pod, linked);
  const others = diagnosis.findings.filter((finding) => finding !== blocker);
  const verdict = verdictOf(pod, blocker, others);
  await context.print({
    kind: 'PodDoctor',
    takenAt: view.snapshot.takenAt,
    pod: facts.key,
    ...(facts.node && { node: facts.node }),
    status: statusText(pod),
    verdict: verdict.text,
    ...(blocker && { blocker: caseOf(blocker) }),
    walk: walkOf(pod, linked satisfies readonly LinkedFinding[]),
    cases: others.map(caseOf),
    diagnosis,
  });
  const code = codeOf(diagnosis);
  return code === exitCode.well && verdict.unexplained ? exitCode.findings : code;
}

async function factsOf(context: CommandContext, target: Target): Promise<PodFacts> {
  const { api, namespace: own } = await context.connect();
  const { readPodFacts } = await import('../cluster/pod/facts.ts');
  const key = { namespace: target.namespace ?? own, name: target.name };
  const facts = await readPodFacts(api, key, context.signal);
  if (facts) return facts;
  throw new UsageError(
    `there is no pod "${key.name}" in namespace ${key.namespace}`,
    `kubectl get pods -n ${key.namespace} lists them; -n names another namespace.`,
  );
}

/** With --driver only its volumes are looked at. */
function ofDriver({ driver }: Flags, facts: PodFacts): PodFacts {
  if (driver === undefined) return facts;
  const volumes = facts.volumes.filter((volume) => volume.driver === driver);
  if (volumes.length > 0) return { ...facts, volumes };
  const known = [...new Set(facts.volumes.flatMap((volume) => volume.driver ?? []))];
  throw new UsageError(
    `pod ${facts.key.namespace}/${facts.key.name} has no volume of driver ${driver}`,
    known.length > 0 ? `It has volumes of ${known.join(', ')}.` : 'Leave out --driver.',
  );
}

function checkNode(flags: Flags, { key, node }: PodFacts): void {
  const named = (flags.node as readonly string[] | undefined) ?? [];
  if (named.length === 0 || (node !== undefined && named.includes(node))) return;
  throw new UsageError(
    `pod ${key.namespace}/${key.name} is ${node ? `on ${node}` : 'on no node yet'}, not on ${named.join(', ')}`,
    'Leave out --node: the pod names its node.',
  );
}

/** Everything but the pod's own node is out of sight. */
const withoutTarget = (flags: Flags, { node }: PodFacts): Flags => ({
  ...flags,
  target: undefined,
  namespace: undefined,
  selector: undefined,
  node: node ? [node] : undefined,
});

interface PodSight {
  readonly view: ClusterView;
  readonly looked: readonly Need[];
  readonly log: Observed<readonly LogLine[]>;
}

/** The node is visited where there is something to see: a Ready node, and a pod with volumes. */
async function sightOf(
  context: CommandContext,
  flags: Flags,
  facts: PodFacts,
  options: LookOptions,
): Promise<PodSight> {
  const object = facts.nodes.find(({ name }) => name === facts.node)?.object;
  const node = object?.seen ? object.value : undefined;
  if (!node) return { view: await withoutNodes(context), looked: [], log: unseen('the pod has no node') };
  if (!node.ready || facts.volumes.length === 0) {
    const { view } = await readOnly(context, flags);
    return { view, looked: [], log: unseen('the node was not visited') };
  }
  return visitNode(context, flags, facts, options);
}

async function visitNode(
  context: CommandContext,
  flags: Flags,
  facts: PodFacts,
  options: LookOptions,
): Promise<PodSight> {
  const sight = await visit(context, flags, options);
  try {
    const session = sight.visits.find(({ node }) => node === facts.node)?.session;
    const [evidence] = sight.evidence.values();
    const { readKubeletLog } = await import('../reach/evidence/observe.ts');
    const asked = facts.endsAt !== undefined && session && evidence?.seen;
    const log = asked
      ? await readKubeletLog(session, evidence.value, [facts.kubeletUid], context.signal)
      : unseen("kubelet's log was not read");
    return { view: sight.view, looked: sight.looked, log };
  } finally {
    await sight.close();
  }
}

/** For a pod that is on no node: the nodes count only for what the scheduler says of them. */
async function withoutNodes(context: CommandContext): Promise<ClusterView> {
  const { api } = await context.connect();
  const { readSnapshot } = await import('../cluster/snapshot/snapshot.ts');
  const snapshot = await readSnapshot(api, { kubelet: false, signal: context.signal });
  return { ...joinView({ ...snapshot, nodes: [] }, new Map()), snapshot };
}

/** The diagnosis as far as it concerns the pod. */
function judge(view: ClusterView, pod: PodView, looked: readonly Need[]): Diagnosis {
  const { findings, blindSpots } = diagnose(view, rules, looked);
  return {
    findings: findings.filter(({ subject }) => concernsPod(subject, pod)),
    blindSpots: blindSpots.filter(({ subject }) => concernsPod(subject, pod)),
  };
}

function linkOfFinding({ rule: id }: Finding) {
  const rule = rules.find((each) => each.id === id);
  if (!rule) throw new Error(`there is no rule ${id}`);
  return linkOf(rule);
}
