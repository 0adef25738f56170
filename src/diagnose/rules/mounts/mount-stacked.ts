import { defineRule, well } from '../../define-rule.ts';
import { mountProof, volumeSubject, volumeText } from '../../mounts.ts';

/** A stacked bind mount and a driver that removes what it finds have cost data (ceph/ceph-csi#4966). */
export default defineRule({
  id: 'mount-stacked',
  incident: 'mounts',
  scope: 'volume',
  title: 'More than one mount lies on the volume',
  needs: ['agent'],
  reasons: {
    'other-below':
      'Another file system is hidden below the one that answers; whether it is dead cannot be asked from above. After a repair on an older kernel one dead layer stays so.',
    'same-below':
      'The same file system is mounted twice on each other: unpublishing takes one of them only, and the pod hangs in Terminating.',
  },
  check(volume) {
    const { layers } = volume;
    if (layers.length < 2 || volume.state !== 'alive') return well;
    const same = layers.slice(0, -1).some(({ device }) => device === layers.at(-1)?.device);
    return {
      found: [
        {
          reason: same ? 'same-below' : 'other-below',
          severity: 'warning',
          subject: volumeSubject(volume),
          summary: `${layers.length} mounts lie on ${volumeText(volume)}`,
          proofs: layers.map((layer) => mountProof(layer, `layer ${layer.layer}`)),
          cure: `nothing is taken off a mount that answers: see which layer is the volume (findmnt on ${volume.node}), unmount what does not belong there, or delete the pod`,
        },
      ],
    };
  },
});
