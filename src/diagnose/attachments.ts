import { valueOr } from '../model/observed.ts';
import type { Attachment } from '../model/pod.ts';
import type { PodView, PodVolumeView } from './pod-view.ts';

/** How a volume stands with the pod's node. `elsewhere`: another node has it, and it may be on one only. */
export type AttachmentState =
  | { readonly kind: 'unneeded' | 'attached' | 'missing' }
  | { readonly kind: 'unseen'; readonly why: string }
  | { readonly kind: 'waiting'; readonly own: Attachment }
  | { readonly kind: 'elsewhere'; readonly others: readonly Attachment[] };

export function attachmentStateOf(pod: PodView, volume: PodVolumeView): AttachmentState {
  const { attaches, attachments } = volume;
  if (!attaches.seen) return { kind: 'unseen', why: attaches.why };
  if (!attaches.value || !pod.facts.node) return { kind: 'unneeded' };
  if (!attachments.seen) return { kind: 'unseen', why: attachments.why };
  const own = attachments.value.find(({ node }) => node === pod.facts.node);
  if (own) return own.attached && !own.deletingSince ? { kind: 'attached' } : { kind: 'waiting', own };
  const others = attachments.value.filter(({ node }) => node !== pod.facts.node);
  return others.length > 0 && isForOneNode(volume) ? { kind: 'elsewhere', others } : { kind: 'missing' };
}

/** IsMultiAttachAllowed of pkg/volume/util/util.go: one mode for many nodes is enough. */
function isForOneNode({ volume: { persistentVolume } }: PodVolumeView): boolean {
  const { accessModes = [] } = (persistentVolume && valueOr(persistentVolume, undefined)) ?? {};
  return !accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}

/** Kubelet's own word that it has the volume mounted (GetUniqueVolumeName of pkg/volume/csi/csi_plugin.go: DRIVER^HANDLE). */
export function isInUseOn(pod: PodView, { node, driver }: Attachment, handle: string | undefined): boolean {
  const object = pod.facts.nodes.find(({ name }) => name === node)?.object;
  const { volumesInUse = [] } = (object?.seen && object.value) || {};
  return volumesInUse.includes(`kubernetes.io/csi/${driver}^${handle}`);
}
