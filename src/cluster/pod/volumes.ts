import type {
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1StorageClass,
  V1Volume,
} from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { driverName, type ObjectKey } from '../../model/ids.ts';
import { mapSeen, type Observed, seen } from '../../model/observed.ts';
import type { ClaimFacts, PersistentVolumeFacts, PodVolume, StorageClassFacts } from '../../model/pod.ts';
import type { Api } from '../api.ts';
import { readIfThere } from '../attempt.ts';

type Pod = Wire<V1Pod>;
type PersistentVolume = Wire<V1PersistentVolume>;

interface Reader {
  readonly api: Api;
  readonly signal: AbortSignal;
}

/** The volumes of a pod that are or may be a CSI driver's, each with its claim, its PersistentVolume and its class. */
export async function readPodVolumes(api: Api, pod: Pod, signal: AbortSignal): Promise<readonly PodVolume[]> {
  const reader = { api, signal };
  const volumes = await Promise.all((pod.spec?.volumes ?? []).map((each) => readVolume(reader, pod, each)));
  return volumes.filter((volume) => volume !== undefined);
}

async function readVolume(reader: Reader, pod: Pod, volume: Wire<V1Volume>): Promise<PodVolume | undefined> {
  const { name, csi, persistentVolumeClaim, ephemeral } = volume;
  const { namespace = '', name: podName } = pod.metadata ?? {};
  if (csi) return { name, kind: 'inline', driver: driverName(csi.driver) };
  if (persistentVolumeClaim)
    return readClaimed(reader, name, 'persistent', { namespace, name: persistentVolumeClaim.claimName });
  // https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#persistentvolumeclaim-naming
  return ephemeral && readClaimed(reader, name, 'ephemeral', { namespace, name: `${podName}-${name}` });
}

async function readClaimed(
  reader: Reader,
  name: string,
  kind: PodVolume['kind'],
  claimKey: ObjectKey,
): Promise<PodVolume> {
  const claim = await readObject<V1PersistentVolumeClaim, ClaimFacts>(
    reader,
    `/api/v1/namespaces/${encodeURIComponent(claimKey.namespace)}/persistentvolumeclaims`,
    claimKey.name,
    claimFacts,
  );
  const { volumeName, storageClass } = (claim.seen && claim.value) || {};
  const [volume, found] = await Promise.all([
    volumeName
      ? readObject<V1PersistentVolume, Bound>(
          reader,
          '/api/v1/persistentvolumes',
          volumeName,
          persistentVolume,
        )
      : undefined,
    volumeName || !storageClass
      ? undefined
      : readObject(reader, '/apis/storage.k8s.io/v1/storageclasses', storageClass, classFacts),
  ]);
  return {
    name,
    kind,
    claimKey,
    claim,
    ...(volume && { persistentVolume: mapSeen(volume, (each) => each?.facts) }),
    ...(volume?.seen && volume.value?.csi),
    ...(found && { storageClass: found }),
  };
}

async function readObject<T, U>(
  { api, signal }: Reader,
  path: string,
  name: string,
  facts: (object: Wire<T>) => U,
): Promise<Observed<U | undefined>> {
  const object = await readIfThere<Wire<T>>(api, `${path}/${encodeURIComponent(name)}`, signal);
  return object.seen ? seen(object.value && facts(object.value)) : object;
}

function claimFacts({ metadata, spec, status }: Wire<V1PersistentVolumeClaim>): ClaimFacts {
  const selectedNode = metadata?.annotations?.['volume.kubernetes.io/selected-node'];
  return {
    uid: metadata?.uid ?? '',
    phase: status?.phase ?? 'Pending',
    ...(spec?.volumeName && { volumeName: spec.volumeName }),
    ...(spec?.storageClassName !== undefined && { storageClass: spec.storageClassName }),
    accessModes: spec?.accessModes ?? [],
    deleting: metadata?.deletionTimestamp !== undefined,
    owners: (metadata?.ownerReferences ?? []).map(({ uid }) => uid),
    ...(selectedNode && { selectedNode }),
  };
}

interface Bound {
  readonly facts: PersistentVolumeFacts;
  readonly csi: Pick<PodVolume, 'driver' | 'handle'>;
}

/** Fields of a PersistentVolume's spec that are no source. */
const noSource: ReadonlySet<string> = new Set(['capacity', 'claimRef', 'nodeAffinity']);

function persistentVolume({ metadata, spec, status }: PersistentVolume): Bound {
  const { claimRef, csi } = spec ?? {};
  const other = Object.entries(spec ?? {}).find(
    ([key, value]) => !noSource.has(key) && typeof value === 'object' && !Array.isArray(value),
  );
  const facts: PersistentVolumeFacts = {
    name: metadata?.name ?? '',
    phase: status?.phase ?? 'Pending',
    accessModes: spec?.accessModes ?? [],
    block: spec?.volumeMode === 'Block',
    deleting: metadata?.deletionTimestamp !== undefined,
    ...(!csi && { otherSource: other?.[0] ?? 'unknown' }),
    ...(claimRef && {
      claim: {
        namespace: claimRef.namespace ?? '',
        name: claimRef.name ?? '',
        uid: claimRef.uid ?? '',
      },
    }),
  };
  return { facts, csi: csi ? { driver: driverName(csi.driver), handle: csi.volumeHandle } : {} };
}

const classFacts = ({
  metadata,
  provisioner,
  volumeBindingMode,
}: Wire<V1StorageClass>): StorageClassFacts => ({
  name: metadata?.name ?? '',
  provisioner,
  waitsForConsumer: volumeBindingMode === 'WaitForFirstConsumer',
});
