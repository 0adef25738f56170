import type { PodContainer } from '../../../model/pod.ts';
import { type Draft, defineRule, well } from '../../define-rule.ts';
import type { PodView } from '../../pod-view.ts';
import { eventProof, lastEvent, podArgs, podSubject, quote } from '../../pods.ts';

const reasons = {
  image: "A container's image cannot be had.",
  crash: 'A container is started and ends again and again, by itself.',
  config: 'A container cannot be made: a ConfigMap, a Secret or a setting that it names is missing or wrong.',
  'other-volume': "A volume that is no CSI driver's (a ConfigMap, a Secret, a hostPath) cannot be mounted.",
  sandbox: "The pod's sandbox cannot be made: most often its network.",
} as const;

type Reason = keyof typeof reasons;

const stateReasons: readonly (readonly [RegExp, Reason])[] = [
  [/Image/, 'image'],
  [/^CrashLoopBackOff$/, 'crash'],
  [/^CreateContainerConfigError$/, 'config'],
];

/** Said so that nobody looks for a fault of the storage where there is none; the rest is kubectl describe's. */
export default defineRule<Reason>({
  id: 'not-storage',
  incident: 'pods',
  scope: 'pod',
  link: 'container',
  title: 'Something else than storage holds the pod up',
  needs: [],
  reasons,
  check(pod) {
    if (pod.condition !== 'starting' && pod.condition !== 'running') return well;
    const found = byContainer(pod) ?? byEvent(pod);
    return found ? { found: [found] } : well;
  },
});

function draft(pod: PodView, reason: Reason, summary: string, proof: Draft['proofs'][number]): Draft<Reason> {
  return {
    reason,
    severity: 'notice',
    subject: podSubject(pod),
    summary: `this is not about CSI volumes: ${summary}`,
    proofs: [proof],
    cure:
      reason === 'crash'
        ? `kubectl logs ${podArgs(pod)} --previous`
        : `kubectl describe pod ${podArgs(pod)} shows the same`,
  };
}

const isElsewhere = (message: string) => /subPath|volume-subpaths|kubernetes\.io~csi/.test(message);

function byContainer(pod: PodView): Draft<Reason> | undefined {
  for (const container of pod.facts.containers) {
    const reason = reasonOf(container);
    if (!reason || isElsewhere(container.message)) continue;
    const text = `container ${container.name} is ${container.reason}`;
    const source = `container ${container.name}, ${container.reason}`;
    return draft(pod, reason, text, { what: quote(container.message), source });
  }
  return undefined;
}

const reasonOf = ({ state, reason }: PodContainer) =>
  state === 'waiting' ? stateReasons.find(([pattern]) => pattern.test(reason))?.[1] : undefined;

function byEvent(pod: PodView): Draft<Reason> | undefined {
  if (pod.condition !== 'starting' || pod.facts.containers.some(({ containerId }) => containerId !== ''))
    return undefined;
  const own = new Set(pod.facts.volumes.map(({ name }) => name));
  const mount = lastEvent(
    pod,
    ({ reason, message }) =>
      reason === 'FailedMount' &&
      /(configmap|secret) "[^"]+" not found|references non-existent|hostPath type check failed|projected/.test(
        message,
      ) &&
      !own.has(/for volume "([^"]*)"/.exec(message)?.[1] ?? '') &&
      !/kubernetes\.io\/csi|rpc error|SecretRef/.test(message),
  );
  if (mount) return draft(pod, 'other-volume', quote(mount.message), eventProof(mount, pod));
  const sandbox = lastEvent(pod, ({ reason }) => reason === 'FailedCreatePodSandBox');
  return sandbox && draft(pod, 'sandbox', 'its sandbox cannot be made', eventProof(sandbox, pod));
}
