import { attachmentStateOf } from '../../attachments.ts';
import { type Answer, defineRule, well } from '../../define-rule.ts';
import type { PodView, PodVolumeView } from '../../pod-view.ts';
import { awaited, checkVolumes, eventProof, lastEvent, podSubject, volumeName } from '../../pods.ts';

type Reason = 'not-made' | 'no-csidriver';

export default defineRule<Reason>({
  id: 'attachment-missing',
  incident: 'pods',
  scope: 'pod',
  link: 'attachment',
  title: 'Nobody asks for the volume to be attached',
  needs: [],
  reasons: {
    'not-made':
      "The driver's volumes must be attached, and kube-controller-manager has made no VolumeAttachment for this node.",
    'no-csidriver':
      'There is no CSIDriver object of the driver, so Kubernetes takes it for one whose volumes must be attached.',
  },
  check: (pod) =>
    pod.facts.node === undefined ? well : checkVolumes(awaited(pod), (volume) => checkVolume(pod, volume)),
});

function checkVolume(pod: PodView, each: PodVolumeView): Answer<Reason> {
  const state = attachmentStateOf(pod, each);
  const subject = podSubject(pod, each.volume);
  if (state.kind === 'unseen') return { blind: [{ subject, why: state.why }] };
  if (state.kind !== 'missing') return well;
  const { driver } = each.volume;
  const event = lastEvent(pod, ({ reason }) => reason === 'FailedAttachVolume');
  const declared = hasCsiDriver(pod, each);
  return {
    found: [
      {
        reason: declared ? 'not-made' : 'no-csidriver',
        severity: 'error',
        subject,
        summary: `no VolumeAttachment exists for ${volumeName(each)} on ${pod.facts.node}`,
        proofs: [
          {
            what: `no VolumeAttachment of its PersistentVolume names ${pod.facts.node}`,
            source: 'API server',
          },
          ...(declared ? [] : [{ what: `there is no CSIDriver ${driver}`, source: 'API server' }]),
          ...(event ? [eventProof(event, pod)] : []),
        ],
        cure: declared
          ? 'see that kube-controller-manager runs (its attach-detach controller), and what its log says of the volume'
          : `install the CSIDriver object of ${driver}; with attachRequired: false for a driver that needs no attaching`,
      },
    ],
  };
}

const hasCsiDriver = ({ snapshot: { csiDrivers } }: PodView, { volume: { driver } }: PodVolumeView) =>
  !csiDrivers.seen || csiDrivers.value.some(({ name }) => name === driver);
