import { defineRule, well } from '../../define-rule.ts';
import {
  containerProof,
  containersIn,
  isInUse,
  mountProof,
  volumeSubject,
  volumeText,
} from '../../mounts.ts';

/** Touching such a path blocks whoever does it: kubelet and runtimes have hung with it (kubernetes/kubernetes#74135). */
export default defineRule({
  id: 'mount-hung',
  incident: 'mounts',
  scope: 'volume',
  title: 'The volume does not answer',
  needs: ['agent'],
  reasons: {
    'no-answer':
      'The file system gave no answer in time. It may come back by itself; a FUSE daemon that is stuck does not.',
  },
  check(volume) {
    if (!isInUse(volume)) return well;
    const layer = volume.layers.at(-1);
    const containers = containersIn(volume, 'hung');
    if (layer?.state !== 'hung' && containers.length === 0) return well;
    const fuse = (layer ?? containers[0]?.mount)?.fsType.startsWith('fuse') ?? false;
    return {
      found: [
        {
          reason: 'no-answer',
          severity: 'error',
          subject: volumeSubject(volume),
          summary: `${volumeText(volume)} of pod ${volume.use?.pod.namespace}/${volume.use?.pod.name} gives no answer`,
          proofs: [...(layer ? [mountProof(layer, 'on the node')] : []), ...containers.map(containerProof)],
          cure: fuse
            ? `look at its daemon first; kubectl csi heal --node ${volume.node} --max-risk destructive aborts the FUSE connection (requests that wait fail) and mounts anew`
            : 'look at the server and the network; nothing on the node can answer for it',
        },
      ],
    };
  },
});
