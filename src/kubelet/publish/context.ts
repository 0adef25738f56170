import { isUtf8 } from 'node:buffer';
import { known, type Pod, type ReplayInput, type SecretData } from './input.ts';
import type { Needs } from './needs.ts';
import { Refusal } from './request.ts';
import { type Parameters, Secret } from './secret.ts';
import { tokensKey, tokensText } from './tokens.ts';
import { kubeletUid, type Volume } from './volume.ts';

/** getPodInfoAttrs of csi_util.go. */
export const podInfo = (pod: Pod, { lifecycle }: Volume): Readonly<Record<string, string>> => ({
  'csi.storage.k8s.io/pod.name': pod.metadata?.name ?? '',
  'csi.storage.k8s.io/pod.namespace': pod.metadata?.namespace ?? '',
  'csi.storage.k8s.io/pod.uid': kubeletUid(pod),
  'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? '',
  'csi.storage.k8s.io/ephemeral': String(lifecycle === 'Ephemeral'),
});

/** `attachmentMetadata` of the VolumeAttachment (getPublishContext of csi_plugin.go). @throws Refusal */
export function publishContext(input: ReplayInput, needs: Needs): Readonly<Record<string, string>> {
  if (needs.attachment === undefined) return {};
  const { status } = known(input.attachment, 'publish_context');
  if (!status?.attached) {
    throw new Refusal('publish_context', `VolumeAttachment ${needs.attachment} is not attached`);
  }
  return status.attachmentMetadata ?? {};
}

/** The tokens under kubelet's key; nothing where the driver asks for none. @throws Refusal */
export function tokenParameters(input: ReplayInput, needs: Needs, field: string): Parameters {
  if (needs.tokens.length === 0) return {};
  return { [tokensKey]: tokensText(known(input.tokens, field)) };
}

/** The values of a Secret as the request has them (getCredentialsFromSecret of csi_util.go). @throws Refusal */
export function secretParameters(data: SecretData): Parameters {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const bytes = value.reveal();
      // Go's protobuf refuses to send such a string: kubelet cannot have published with it.
      if (!isUtf8(bytes)) throw new Refusal('secrets', `the value of ${key} is not text in UTF-8`);
      return [key, new Secret(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))];
    }),
  );
}
