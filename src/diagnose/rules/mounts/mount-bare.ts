import { type Draft, defineRule, well } from '../../define-rule.ts';
import { isInUse, remountCommand, shouldBeMounted, volumeSubject, volumeText } from '../../mounts.ts';
import type { VolumeView } from '../../view.ts';

/** Apps that run on the bare directory write to the node's disk in silence (yandex-cloud/k8s-csi-s3#107). */
export default defineRule({
  id: 'mount-bare',
  incident: 'mounts',
  scope: 'volume',
  title: 'Nothing is mounted where the volume should be',
  needs: ['agent'],
  reasons: {
    'not-mounted': 'A pod runs on the volume, and its publish target is an ordinary directory.',
    removed: 'A pod runs on the volume, and even the directory of its publish target is gone.',
    'guard-left':
      'A repair was cut off between taking the dead mount away and publishing again. The directory is write-protected, so nothing can get lost in it.',
  },
  check(volume) {
    const { target } = volume;
    if (!isInUse(volume) || (volume.state !== 'bare' && volume.state !== 'absent')) return well;
    if (!shouldBeMounted(volume)) return well;
    if (volume.state === 'absent') return { found: [absent(volume)] };
    const files = target.files.length === 0 ? '' : `; it holds ${target.files.join(', ')}`;
    return {
      found: [
        {
          reason: target.guarded ? 'guard-left' : 'not-mounted',
          severity: 'error',
          subject: volumeSubject(volume),
          summary: `${volumeText(volume)} of pod ${volume.use?.pod.namespace}/${volume.use?.pod.name} is a bare directory on the node${files}`,
          proofs: [
            { what: `${target.path} is no mount${files}`, source: '/proc/KUBELET/mountinfo' },
            ...(target.guarded
              ? [{ what: 'the directory has the immutable flag', source: 'FS_IOC_GETFLAGS' }]
              : []),
          ],
          cure:
            target.files.length === 0
              ? remountCommand(volume)
              : `${remountCommand(volume)}; the files found there are hidden by the mount then, never deleted: move them into the volume by hand before, if they matter`,
        },
      ],
    };
  },
});

const absent = (volume: VolumeView): Draft<'removed'> => ({
  reason: 'removed',
  severity: 'error',
  subject: volumeSubject(volume),
  summary: `the publish target of ${volumeText(volume)} of pod ${volume.use?.pod.namespace}/${volume.use?.pod.name} is gone`,
  proofs: [{ what: `${volume.target.path} does not exist`, source: "kubelet's root" }],
  cure: 'delete the pod: kubelet publishes the volume for the next one',
});
