import { defineRule, well } from '../../define-rule.ts';
import { guardsOfVolumes, volumeSubject, volumeText } from '../../mounts.ts';

/** Kubelet removes the directory when the pod goes (os.Remove in pkg/volume/csi/csi_mounter.go), and would fail for ever. */
export default defineRule({
  id: 'guard-beneath',
  incident: 'mounts',
  scope: 'volume',
  title: 'A write-protected directory lies under the volume',
  needs: ['agent'],
  reasons: {
    'cut-off':
      'A repair was cut off after the volume lived again and before the directory below it lost its immutable flag. The pod works, but kubelet could not clean up after it.',
  },
  check(volume) {
    const guards = guardsOfVolumes([volume]);
    if (guards.length === 0) return well;
    return {
      found: [
        {
          reason: 'cut-off',
          severity: 'warning',
          subject: volumeSubject(volume),
          summary: `the directory under ${volumeText(volume)} is immutable: its pod would stay in Terminating`,
          proofs: guards.map((path) => ({
            what: `${path} has the immutable flag`,
            source: 'the journal of a repair, /run/kubectl-csi',
          })),
          cure: `kubectl csi heal --node ${volume.node} takes the flag off`,
        },
      ],
    };
  },
});
