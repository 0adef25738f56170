import { type Draft, defineRule, well } from '../../define-rule.ts';
import { volumeSubject, volumeText } from '../../mounts.ts';
import { isOrphan, removal } from '../../orphans.ts';
import type { VolumeView } from '../../view.ts';

type Reason = 'pod-gone' | 'left-behind';

/** Kubelet logs and retries for ever over such folders (kubernetes/kubernetes#45464, #60987). */
export default defineRule<Reason>({
  id: 'volume-orphaned',
  incident: 'mounts',
  scope: 'volume',
  title: 'A volume of a pod that no longer exists',
  needs: ['agent'],
  reasons: {
    'pod-gone':
      'The API server knows no pod with this UID on the node. Kubelet should have unpublished the volume.',
    'left-behind':
      "Nothing is mounted any more, but the volume's folder is still there: kubelet cannot remove the pod's, and says so in its log again and again.",
  },
  check(volume, { snapshot }) {
    if (volume.use || volume.target.guarded) return well; // what is guarded is told by guard-beneath
    const orphan = isOrphan(snapshot, volume.target);
    if (!orphan.seen) return { blind: [{ subject: volumeSubject(volume), why: orphan.why }] };
    return orphan.value ? { found: [draft(volume)] } : well;
  },
});

function draft(volume: VolumeView): Draft<Reason> {
  const { target, state, node, layers } = volume;
  const mounted = layers.length > 0 || target.state === 'mounted' || target.state === 'unseen';
  return {
    reason: mounted ? 'pod-gone' : 'left-behind',
    severity: 'warning',
    subject: volumeSubject(volume),
    summary: `${volumeText(volume)} is still ${mounted ? 'published' : 'there'} for pod UID ${target.podUid}, which does not exist`,
    proofs: [
      { what: `${target.path} is ${state}`, source: "kubelet's root" },
      { what: 'no pod on the node has this UID', source: 'API server' },
    ],
    cure: mounted
      ? `kubelet's log on ${node} says why it cannot unpublish it; never remove the folder while something is mounted below`
      : removal(node, target),
  };
}
