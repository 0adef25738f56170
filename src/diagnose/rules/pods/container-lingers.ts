import { defineRule, well } from '../../define-rule.ts';
import { isPastGrace, leftovers, podSubject, sinceText } from '../../pods.ts';
import { holderProofs, holdersOf } from '../../unmount.ts';

/** A process that waits for a file system cannot be ended: SIGKILL acts when the wait is over (juicedata/juicefs-csi-driver#907). */
export default defineRule({
  id: 'container-lingers',
  incident: 'pods',
  scope: 'pod',
  link: 'container',
  title: 'A container does not end',
  needs: [],
  reasons: {
    'waits-for-volume':
      'A process of it holds a volume that does not answer. One that waits for such a volume cannot be ended, not even by SIGKILL, until the wait is over.',
    'past-grace': 'Its grace period is over, and kubelet still reports it as running.',
  },
  check(pod) {
    const running = pod.facts.containers.filter(({ state }) => state === 'running');
    if (pod.condition !== 'ending' || running.length === 0 || !isPastGrace(pod)) return well;
    const ids = new Set(running.map(({ containerId }) => containerId));
    const holders = leftovers(pod)
      .flatMap(({ published }) => holdersOf(pod, published))
      .filter(({ containerId }) => ids.has(containerId ?? ''));
    const names = running.map(({ name }) => name).join(', ');
    return {
      found: [
        {
          reason: holders.length > 0 ? 'waits-for-volume' : 'past-grace',
          severity: 'error',
          subject: podSubject(pod),
          summary: `container ${names} still runs; its grace period has been over ${sinceText(pod.facts.endsAt ?? '', pod)}`,
          proofs: [{ what: `container ${names} is running`, source: 'pod status' }, ...holderProofs(holders)],
          cure:
            holders.length > 0
              ? `make the volume answer or fail: bring its daemon or server back; for FUSE, on node ${pod.facts.node}: echo 1 >/sys/fs/fuse/connections/MINOR/abort (MINOR of the device in mountinfo)`
              : `the container runtime on ${pod.facts.node} did not end it: kubelet's log there, and crictl ps, say why`,
        },
      ],
    };
  },
});
