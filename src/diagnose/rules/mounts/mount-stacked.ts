import { defineRule, well } from '../../define-rule.ts';
import { mountProof, remountCommand, volumeSubject, volumeText } from '../../mounts.ts';

/** A stacked bind mount and a driver that removes what it finds have cost data (ceph/ceph-csi#4966). */
export default defineRule({
  id: 'mount-stacked',
  incident: 'mounts',
  scope: 'volume',
  title: 'More than one mount lies on the volume',
  needs: ['agent'],
  reasons: {
    'dead-below':
      'A dead mount lies below the living one. It does no harm by itself and goes with the next repair.',
    'live-below':
      'Two living mounts lie on each other: unpublishing takes one of them only, and the pod hangs in Terminating.',
  },
  check(volume) {
    const { layers } = volume;
    if (layers.length < 2 || volume.state !== 'alive') return well;
    const dead = layers
      .slice(0, -1)
      .every(({ state, device }) => state === 'dead' || device !== layers.at(-1)?.device);
    return {
      found: [
        {
          reason: dead ? 'dead-below' : 'live-below',
          severity: dead ? 'notice' : 'warning',
          subject: volumeSubject(volume),
          summary: `${layers.length} mounts lie on ${volumeText(volume)}`,
          proofs: layers.map((layer) => mountProof(layer, `layer ${layer.layer}`)),
          cure: dead
            ? remountCommand(volume)
            : `kubectl delete pod of the volume, and see what is left with kubectl csi doctor --node ${volume.node}`,
        },
      ],
    };
  },
});
