import { type Draft, defineRule, well } from '../../define-rule.ts';
import type { PodView } from '../../pod-view.ts';
import { podArgs, podSubject, quote, sinceText } from '../../pods.ts';

type Reason = 'deleted' | 'not-ready';

/** Nobody but kubelet takes a pod down: without it a pod stays as it was (kubernetes/kubernetes#65392). */
export default defineRule<Reason>({
  id: 'node-gone',
  incident: 'pods',
  scope: 'pod',
  link: 'node',
  title: "The pod's node does not answer",
  needs: [],
  reasons: {
    deleted: 'The Node object is gone, and with it the kubelet that would start or end the pod.',
    'not-ready':
      'Kubelet is not Ready, or has stopped telling so. What runs there may still run, and may still write to its volumes.',
  },
  check(pod) {
    const { nodeObject, facts } = pod;
    if (!nodeObject || pod.condition === 'ended') return well;
    const subject = podSubject(pod);
    if (!nodeObject.seen) return { blind: [{ subject, why: nodeObject.why }] };
    const { value } = nodeObject;
    if (!value) return { found: [deleted(pod)] };
    if (value.ready) return well;
    return {
      found: [
        {
          reason: 'not-ready',
          severity: 'error',
          subject,
          summary: `node ${facts.node} is not Ready ${sinceText(value.since, pod)}`,
          proofs: [{ what: quote(value.why), source: `condition Ready of node ${facts.node}` }],
          cure: notReadyCure(pod, value.outOfService),
        },
      ],
    };
  },
});

const deleted = (pod: PodView): Draft<Reason> => ({
  reason: 'deleted',
  severity: 'error',
  subject: podSubject(pod),
  summary: `node ${pod.facts.node} does not exist any more`,
  proofs: [{ what: `there is no node ${pod.facts.node}`, source: 'API server' }],
  cure: `kube-controller-manager removes such pods within minutes; if it does not, and the machine is off for certain: kubectl delete pod ${podArgs(pod)} --force --grace-period=0`,
});

/** https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown */
function notReadyCure({ facts: { node } }: PodView, outOfService: boolean): string {
  if (outOfService)
    return `the taint out-of-service is on it already: kube-controller-manager deletes its pods and detaches its volumes now; take the taint off once the node is back`;
  return `bring kubelet back (its log on ${node}); if the machine is off for certain, and only then: kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute deletes its pods and detaches its volumes at once. Do not delete pods by force before: two nodes could write to one volume`;
}
