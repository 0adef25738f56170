import { defineRule, well } from '../../define-rule.ts';
import { hasRunning, leftovers, podArgs, podSubject } from '../../pods.ts';

export default defineRule({
  id: 'pod-finalizers',
  incident: 'pods',
  scope: 'pod',
  link: 'end',
  title: 'The pod waits for a finalizer',
  needs: [],
  reasons: {
    finalizer:
      'Kubelet is done with the pod, and the API server keeps the object until whoever put the finalizer on takes it off. Storage has no part in it.',
  },
  check(pod) {
    const { finalizers } = pod.facts;
    if (pod.condition !== 'ending' || finalizers.length === 0) return well;
    if (hasRunning(pod) || leftovers(pod).length > 0) return well;
    return {
      found: [
        {
          reason: 'finalizer',
          severity: 'error',
          subject: podSubject(pod),
          summary: `the pod is kept by ${finalizers.join(', ')}`,
          proofs: [{ what: `metadata.finalizers: ${finalizers.join(', ')}`, source: 'API server' }],
          cure: `see that the controller that owns the finalizer runs; only if it is gone for good: kubectl patch pod ${podArgs(pod)} --type=merge -p '{"metadata":{"finalizers":null}}'`,
        },
      ],
    };
  },
});
