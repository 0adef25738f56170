import { createHash } from 'node:crypto';
import { type DriverName, driverName, keyText, type ObjectKey } from '../../model/ids.ts';
import { type Claim, known, type PersistentVolume, type Pod, type VolumeObjects } from './input.ts';
import { Refusal } from './request.ts';

/** A CSI volume as kubelet knows it (`volume.Spec` and its CSI source). */
export interface Volume {
  /** The PersistentVolume's name, or the inline volume's name in the pod: names its folder. */
  readonly specName: string;
  readonly driver: DriverName;
  readonly handle: string;
  readonly lifecycle: 'Persistent' | 'Ephemeral';
  readonly block: boolean;
  readonly readOnly: boolean;
  readonly fsType: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly accessModes: readonly string[];
  readonly mountOptions: readonly string[];
  readonly stageSecret?: ObjectKey;
  readonly publishSecret?: ObjectKey;
}

type PodVolume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

/**
 * The volume that a pod uses, found the way kubelet finds it (createVolumeSpec of
 * pkg/kubelet/volumemanager/populator, NewMounter of pkg/volume/csi/csi_plugin.go).
 * @throws Refusal where the objects are missing, have been replaced, or do not belong together
 */
export function volumeOf(objects: VolumeObjects): Volume {
  const pod = livingPod(objects);
  const volume = pod.spec?.volumes?.find(({ name }) => name === objects.use.volume);
  if (!volume) throw new Refusal('pod', `the pod has no volume ${objects.use.volume}`);
  return volume.csi ? inlineVolume(pod, volume.name, volume.csi) : persistentVolume(objects, pod, volume);
}

function livingPod({ use, node, pod: observed }: VolumeObjects): Pod {
  const pod = known(observed, 'pod');
  const refuse = (why: string) => new Refusal('pod', `pod ${keyText(use.pod)} ${why}`);
  if (pod.metadata?.uid !== use.podUid) throw refuse('was replaced by another of its name');
  if (pod.metadata.deletionTimestamp) throw refuse('is being deleted');
  if (pod.spec?.nodeName !== node) throw refuse(`does not run on node ${node}`);
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') throw refuse(`has ended: ${phase}`);
  return pod;
}

/**
 * The uid that kubelet gives the pod: a static pod's is not that of its mirror in the API
 * (pkg/kubelet/config/common.go, applyDefaults).
 */
export const kubeletUid = ({ metadata }: Pod): string =>
  metadata?.annotations?.['kubernetes.io/config.mirror'] ?? metadata?.uid ?? '';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function inlineVolume(pod: Pod, name: string, source: NonNullable<PodVolume['csi']>): Volume {
  const secret = source.nodePublishSecretRef?.name;
  return {
    specName: name,
    driver: driverName(source.driver),
    // makeVolumeHandle of csi_mounter.go.
    handle: `csi-${sha256(`${kubeletUid(pod)}${name}`)}`,
    lifecycle: 'Ephemeral',
    block: false,
    readOnly: source.readOnly ?? false,
    fsType: source.fsType ?? '',
    attributes: source.volumeAttributes ?? {},
    accessModes: [],
    mountOptions: [],
    ...(secret !== undefined && {
      publishSecret: { namespace: pod.metadata?.namespace ?? '', name: secret },
    }),
  };
}

/** Read-only is what the pod's claim source says: kubelet ignores the PersistentVolume's `csi.readOnly` here. */
function persistentVolume(objects: VolumeObjects, pod: Pod, volume: PodVolume): Volume {
  const persistent = boundVolume(objects, pod, volume);
  const { csi, accessModes, mountOptions, volumeMode } = persistent.spec ?? {};
  if (!csi) throw new Refusal('persistent volume', `${persistent.metadata?.name} names no CSI driver`);
  const stageSecret = secretKey(csi.nodeStageSecretRef);
  const publishSecret = secretKey(csi.nodePublishSecretRef);
  return {
    specName: persistent.metadata?.name ?? '',
    driver: driverName(csi.driver),
    handle: csi.volumeHandle,
    lifecycle: 'Persistent',
    block: volumeMode === 'Block',
    readOnly: volume.persistentVolumeClaim?.readOnly ?? false,
    fsType: csi.fsType ?? '',
    attributes: csi.volumeAttributes ?? {},
    accessModes: accessModes ?? [],
    mountOptions: mountOptions ?? [],
    ...(stageSecret && { stageSecret }),
    ...(publishSecret && { publishSecret }),
  };
}

const secretKey = (reference: { readonly namespace?: string; readonly name?: string } | undefined) =>
  reference && { namespace: reference.namespace ?? '', name: reference.name ?? '' };

function boundVolume(objects: VolumeObjects, pod: Pod, volume: PodVolume): PersistentVolume {
  const claim = claimOf(objects, pod, volume);
  const persistent = known(objects.persistentVolume, 'persistent volume');
  const names = `claim ${claim.metadata?.name} and volume ${persistent.metadata?.name}`;
  const bound =
    claim.spec?.volumeName === persistent.metadata?.name &&
    persistent.spec?.claimRef?.uid === claim.metadata?.uid;
  if (!bound) throw new Refusal('persistent volume', `${names} are not bound to each other`);
  return persistent;
}

function claimOf(objects: VolumeObjects, pod: Pod, volume: PodVolume): Claim {
  const name = volume.persistentVolumeClaim?.claimName ?? `${pod.metadata?.name}-${volume.name}`;
  const claim = known(objects.claim, 'claim');
  if (claim.metadata?.name !== name) throw new Refusal('claim', `the pod now uses claim ${name}`);
  if (volume.ephemeral && !isControlledBy(claim, pod)) {
    throw new Refusal('claim', `claim ${name} was not made for the pod`);
  }
  return claim;
}

const isControlledBy = (claim: Claim, pod: Pod) =>
  claim.metadata?.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.metadata?.uid) ??
  false;
