import { keyText } from '../../../model/ids.ts';
import { valueOr } from '../../../model/observed.ts';
import type { Attachment } from '../../../model/pod.ts';
import { attachmentStateOf, isInUseOn } from '../../attachments.ts';
import { type Answer, type Draft, defineRule, well } from '../../define-rule.ts';
import type { PodView, PodVolumeView } from '../../pod-view.ts';
import {
  awaited,
  checkVolumes,
  eventProof,
  lastEvent,
  podSubject,
  quote,
  sinceText,
  volumeName,
} from '../../pods.ts';

const reasons = {
  'in-use': 'A pod on another node uses the volume, which may be on one node at a time.',
  ending: 'A pod on another node is being deleted and still has the volume.',
  'node-gone': 'The volume is attached to a node that does not exist any more.',
  'node-down':
    'The volume is attached to a node that is not Ready: nobody there can say that it is unmounted. Kubernetes detaches it by force 6 minutes after the pod there is gone.',
  'still-mounted':
    'No pod on the other node uses the volume any more, and kubelet there still has it mounted.',
  'not-detached':
    'No pod on the other node uses the volume, kubelet there has it not mounted, and yet it is attached.',
} as const;

type Reason = keyof typeof reasons;

/** What kubectl shows as `Multi-Attach error` (pkg/controller/volume/attachdetach/reconciler). */
export default defineRule<Reason>({
  id: 'multi-attach',
  incident: 'pods',
  scope: 'pod',
  link: 'attachment',
  title: 'Another node has the volume',
  needs: [],
  reasons,
  check: (pod) => checkVolumes(awaited(pod), (volume) => checkVolume(pod, volume)),
});

function checkVolume(pod: PodView, each: PodVolumeView): Answer<Reason> {
  const state = attachmentStateOf(pod, each);
  const subject = podSubject(pod, each.volume);
  if (state.kind !== 'elsewhere') return well;
  const [other] = state.others;
  if (!other) return well;
  if (!other.users.seen) return { blind: [{ subject, why: other.users.why }] };
  const object = pod.facts.nodes.find(({ name }) => name === other.node)?.object;
  if (object && !object.seen) return { blind: [{ subject, why: object.why }] };
  const event = lastEvent(
    pod,
    ({ reason, message }) => reason === 'FailedAttachVolume' && /Multi-Attach/.test(message),
  );
  return {
    found: [
      {
        severity: 'error',
        subject,
        ...what(pod, each, other),
        proofs: [
          {
            what: `${other.name}: ${other.persistentVolume} is attached to ${other.node} ${sinceText(other.createdAt, pod)}${other.detachError ? `; ${quote(other.detachError)}` : ''}`,
            source: 'VolumeAttachment',
          },
          userProof(other),
          ...(event ? [eventProof(event, pod)] : []),
        ],
      },
    ],
  };
}

function userProof({ users: all }: Attachment) {
  const users = valueOr(all, []).map((use) => `${keyText(use.pod)}${use.deleting ? ' (Terminating)' : ''}`);
  const what = users.length > 0 ? `used there by ${users.join(', ')}` : 'no pod there uses it';
  return { what, source: 'pods and their claims' };
}

type What = Pick<Draft<Reason>, 'reason' | 'summary' | 'cure'>;

const taint = (node: string) =>
  `kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`;

function what(pod: PodView, each: PodVolumeView, other: Attachment): What {
  const name = volumeName(each);
  const object = pod.facts.nodes.find((state) => state.name === other.node)?.object;
  const node = object?.seen ? object.value : undefined;
  if (!node)
    return {
      reason: 'node-gone',
      summary: `${name} is still attached to ${other.node}, which does not exist any more`,
      cure: `kube-controller-manager detaches it by itself within minutes; if it does not, and the machine is off for certain: kubectl delete volumeattachment ${other.name}. Its external-attacher then detaches the storage; never take the finalizer off while that can run`,
    };
  if (!node.ready)
    return {
      reason: 'node-down',
      summary: `${name} is attached to ${other.node}, which is not Ready ${sinceText(node.since, pod)}`,
      cure: node.outOfService
        ? 'the taint out-of-service is on the node: it is being detached now'
        : `if that machine is off for certain, and only then: ${taint(other.node)} deletes its pods and detaches at once. Do not delete the VolumeAttachment by hand: two nodes could write to one volume`,
    };
  return onLivingNode(pod, each, other);
}

function onLivingNode(pod: PodView, each: PodVolumeView, other: Attachment): What {
  const name = volumeName(each);
  const users = valueOr(other.users, []);
  const living = users.find(({ deleting }) => !deleting);
  if (living)
    return {
      reason: 'in-use',
      summary: `${name} is in use by pod ${keyText(living.pod)} on ${other.node}`,
      cure: `it is one volume for one node: end that pod (${living.owner ? `it belongs to ${living.owner}: scale it down, or use strategy Recreate` : `kubectl delete pod ${living.pod.name} -n ${living.pod.namespace}`}), or put both pods on one node`,
    };
  const [ending] = users;
  if (ending)
    return {
      reason: 'ending',
      summary: `${name} waits for pod ${keyText(ending.pod)} on ${other.node} to end`,
      cure: `kubectl csi doctor pod/${ending.pod.name} -n ${ending.pod.namespace} says what keeps it`,
    };
  if (isInUseOn(pod, other, each.volume.handle))
    return {
      reason: 'still-mounted',
      summary: `kubelet on ${other.node} still has ${name} mounted, though no pod there uses it`,
      cure: `kubectl csi doctor --node ${other.node} says what keeps it there`,
    };
  return {
    reason: 'not-detached',
    summary: `${name} is left attached to ${other.node}, where nobody uses it`,
    cure: `see that kube-controller-manager and the external-attacher of ${other.driver} run; then kubectl delete volumeattachment ${other.name}: the attacher detaches the storage. Never take the finalizer off while it can run`,
  };
}
