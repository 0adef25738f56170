import { type Draft, defineRule, well } from '../../define-rule.ts';
import { crowdText, overCrowded } from '../../limits.ts';
import type { PodView } from '../../pod-view.ts';
import { eventProof, lastEvent, podArgs, podSubject, quote } from '../../pods.ts';

const reasons = {
  'node-affinity':
    'The volume can be reached from some nodes only (a zone, one machine), and none of these takes the pod.',
  'volume-limit':
    'On every node that would take the pod, its driver has as many volumes as CSINode allows (allocatable.count).',
  'single-pod': 'The claim is ReadWriteOncePod, and another pod has it.',
  'not-storage': 'The scheduler finds no node for reasons that have nothing to do with volumes.',
  gated: 'The pod has scheduling gates: somebody holds it back on purpose.',
  'no-word': 'The scheduler has said nothing of the pod.',
} as const;

type Reason = keyof typeof reasons;

/** Words of kube-scheduler's plugins, to 1.33 and since (pkg/scheduler/framework/plugins: volumebinding, volumezone, nodevolumelimits, volumerestrictions). */
const words: readonly (readonly [RegExp, Reason])[] = [
  [/exceed max volume count/, 'volume-limit'],
  [
    /volume node affinity conflict|didn't match PersistentVolume's node affinity|no available volume zone|didn't find available persistent volumes/,
    'node-affinity',
  ],
  [/ReadWriteOncePod/, 'single-pod'],
];

/** What the scheduler says while a claim is the cause: the rule about claims says more. */
const ofClaims = /persistentvolumeclaim|PersistentVolumeClaim|persistentvolume "/;

export default defineRule<Reason>({
  id: 'pod-unschedulable',
  incident: 'pods',
  scope: 'pod',
  link: 'scheduling',
  title: 'The scheduler finds no node',
  needs: [],
  reasons,
  check(pod) {
    if (pod.condition !== 'unscheduled') return well;
    const { schedulingGates, unschedulable } = pod.facts;
    const event = lastEvent(pod, ({ reason, claim }) => reason === 'FailedScheduling' && !claim);
    const message = unschedulable ?? event?.message;
    if (schedulingGates.length > 0) return { found: [gated(pod, schedulingGates)] };
    if (message === undefined) return { found: [noWord(pod)] };
    const reason = words.find(([pattern]) => pattern.test(message))?.[1];
    if (!reason && ofClaims.test(message)) return well;
    return {
      found: [
        {
          ...found(pod, reason ?? 'not-storage', message),
          proofs: [
            event?.message === message
              ? eventProof(event, pod)
              : { what: quote(message), source: 'condition PodScheduled of the pod' },
            ...(reason === 'volume-limit' ? crowds(pod) : []),
          ],
        },
      ],
    };
  },
});

const crowds = ({ snapshot, facts }: PodView) =>
  overCrowded(snapshot, new Set(facts.volumes.flatMap(({ driver }) => driver ?? [])), 0).map((crowd) => ({
    what: crowdText(crowd),
    source: `CSINode ${crowd.node}, and the pods there`,
  }));

const names = ({ facts: { volumes } }: PodView) =>
  volumes.map(({ claimKey, name }) => claimKey?.name ?? name);

type Found = Omit<Draft<Reason>, 'proofs'>;

function found(pod: PodView, reason: Reason, message: string): Found {
  const subject = podSubject(pod);
  const severity = 'error';
  switch (reason) {
    case 'node-affinity':
      return {
        reason,
        severity,
        subject,
        summary: `no node that can reach ${names(pod).join(', ')} takes the pod`,
        cure: `kubectl get pv -o yaml shows nodeAffinity: make room on such a node (cordon, taints, resources), or move the data to where the pod may run`,
      };
    case 'volume-limit':
      return {
        reason,
        severity,
        subject,
        summary: 'every node that would take the pod has all the volumes that its driver allows',
        cure: `add a node, or move pods with volumes away. A limit that is too low (a driver that counts its own volumes at its restart) is set right by a restart of the node plugin; kubectl get csinode -o yaml shows allocatable.count`,
      };
    case 'single-pod':
      return {
        reason,
        severity,
        subject,
        summary: `another pod has the ReadWriteOncePod claim of ${names(pod).join(', ')}`,
        cure: `end the other pod: kubectl describe pvc ${names(pod).join(' ')} -n ${pod.facts.key.namespace} names it (Used By)`,
      };
    default:
      return {
        reason,
        severity: 'notice',
        subject,
        summary: `this is not about storage: ${quote(message)}`,
        cure: `kubectl describe pod ${podArgs(pod)} shows the same; free or add what the scheduler misses`,
      };
  }
}

const gated = (pod: PodView, gates: readonly string[]): Draft<Reason> => ({
  reason: 'gated',
  severity: 'notice',
  subject: podSubject(pod),
  summary: `this is not about storage: the pod waits behind scheduling gates (${gates.join(', ')})`,
  proofs: [{ what: `schedulingGates: ${gates.join(', ')}`, source: 'API server' }],
  cure: 'whoever set the gates takes them away',
});

const noWord = (pod: PodView): Draft<Reason> => ({
  reason: 'no-word',
  severity: 'warning',
  subject: podSubject(pod),
  summary: 'the scheduler has not looked at the pod',
  proofs: [{ what: 'no condition PodScheduled and no event FailedScheduling', source: 'API server' }],
  cure: `see that kube-scheduler runs, and that spec.schedulerName names one that does: kubectl get pod ${podArgs(pod)} -o yaml`,
});
