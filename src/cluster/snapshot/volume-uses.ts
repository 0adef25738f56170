import type {
  V1CSIPersistentVolumeSource,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1Volume,
} from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { driverName, keyText, nodeName, type ObjectKey } from '../../model/ids.ts';
import type { VolumeUse } from '../../model/snapshot.ts';
import { volumeContainers } from './volume-containers.ts';

type Pod = Wire<V1Pod>;
type Claim = Wire<V1PersistentVolumeClaim>;
type PersistentVolume = Wire<V1PersistentVolume>;
type Source = Pick<VolumeUse, 'driver' | 'kind' | 'claim' | 'persistentVolume' | 'volumeHandle'>;
type FindVolume = (claim: ObjectKey, owner?: string) => PersistentVolume | undefined;

/**
 * Every CSI volume of every pod: by claim, generic ephemeral, or inline. In-tree volumes that kubelet hands to CSI
 * drivers (https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration) are left out: their PersistentVolume
 * names no driver.
 */
export function volumeUses(
  pods: readonly Pod[],
  claims: readonly Claim[],
  volumes: readonly PersistentVolume[],
): readonly VolumeUse[] {
  const find = volumeFinder(claims, volumes);
  return pods.flatMap((pod) =>
    (pod.spec?.volumes ?? []).flatMap((volume) => {
      const source = csiSource(pod, volume, find);
      const containers = source ? volumeContainers(pod, volume.name) : [];
      return source ? { ...podParts(pod), volume: volume.name, ...source, containers } : [];
    }),
  );
}

function volumeFinder(claims: readonly Claim[], volumes: readonly PersistentVolume[]): FindVolume {
  const volumeByName = new Map(volumes.map((volume) => [volume.metadata?.name, volume]));
  const claimByKey = new Map(claims.map((claim) => [keyText(keyOf(claim)), claim]));
  return (key, owner) => {
    const claim = claimByKey.get(keyText(key));
    const owned = !owner || claim?.metadata?.ownerReferences?.some(({ uid }) => uid === owner);
    return owned ? volumeByName.get(claim?.spec?.volumeName) : undefined;
  };
}

const keyOf = ({ metadata }: Pod | Claim): ObjectKey => ({
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '',
});

type PodParts = Pick<
  VolumeUse,
  'pod' | 'podUid' | 'node' | 'phase' | 'deleting' | 'owner' | 'restartPolicy' | 'gracePeriodSeconds'
>;

function podParts(pod: Pod): PodParts {
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller);
  const grace = pod.spec?.terminationGracePeriodSeconds;
  return {
    ...(owner && { owner: `${owner.kind}/${owner.name}` }),
    restartPolicy: pod.spec?.restartPolicy ?? 'Always',
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    pod: keyOf(pod),
    podUid: pod.metadata?.uid ?? '',
    ...(pod.spec?.nodeName && { node: nodeName(pod.spec.nodeName) }),
    phase: pod.status?.phase ?? 'Unknown',
    deleting: pod.metadata?.deletionTimestamp !== undefined,
  };
}

function csiSource(pod: Pod, volume: Wire<V1Volume>, find: FindVolume): Source | undefined {
  const { namespace, name } = keyOf(pod);
  if (volume.csi) return { kind: 'inline', driver: driverName(volume.csi.driver) };
  const claimName = volume.persistentVolumeClaim?.claimName;
  if (claimName) return bound('persistent', { namespace, name: claimName }, find);
  // https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#persistentvolumeclaim-naming : POD-VOLUME, owned by
  // the pod; a claim of that name that somebody else owns is not the pod's.
  if (!volume.ephemeral) return undefined;
  return bound('ephemeral', { namespace, name: `${name}-${volume.name}` }, (key) =>
    find(key, pod.metadata?.uid),
  );
}

function bound(kind: VolumeUse['kind'], claim: ObjectKey, find: FindVolume): Source | undefined {
  const volume = find(claim);
  const csi: V1CSIPersistentVolumeSource | undefined = volume?.spec?.csi;
  if (!csi) return undefined;
  const persistentVolume = volume?.metadata?.name ?? '';
  return { kind, driver: driverName(csi.driver), claim, persistentVolume, volumeHandle: csi.volumeHandle };
}
