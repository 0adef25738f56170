import { defineRule, well } from '../../define-rule.ts';
import { volumeSubject, volumeText } from '../../mounts.ts';

/** Kubelet logs and retries for ever over such folders (kubernetes/kubernetes#45464, #60987). */
export default defineRule({
  id: 'volume-orphaned',
  incident: 'mounts',
  scope: 'volume',
  title: 'A volume of a pod that no longer exists',
  needs: ['agent'],
  reasons: {
    'pod-gone':
      'The API server knows no pod with this UID on the node. Kubelet should have unpublished the volume.',
  },
  check(volume, { snapshot }) {
    if (volume.use || volume.state === 'absent') return well;
    if (!snapshot.volumeUses.seen)
      return { blind: [{ subject: volumeSubject(volume), why: snapshot.volumeUses.why }] };
    return {
      found: [
        {
          reason: 'pod-gone',
          severity: 'warning',
          subject: volumeSubject(volume),
          summary: `${volumeText(volume)} is still published for pod UID ${volume.target.podUid}, which does not exist`,
          proofs: [
            { what: `${volume.target.path} is ${volume.state}`, source: "kubelet's root" },
            { what: 'no pod on the node has this UID', source: 'API server' },
          ],
          cure: `kubelet's log on ${volume.node} says why it cannot unpublish it; never remove the folder while something is mounted below`,
        },
      ],
    };
  },
});
