import type { V1Pod, V1VolumeAttachment } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { driverName, nodeName, type ObjectKey } from '../../model/ids.ts';
import { mapSeen, type Observed, seen } from '../../model/observed.ts';
import type { Attachment, PodVolume, VolumeUser } from '../../model/pod.ts';
import type { Api } from '../api.ts';
import { attempt } from '../attempt.ts';

type Pod = Wire<V1Pod>;

/** The VolumeAttachments of a pod's volumes, to whatever node. Without a PersistentVolume nothing is asked. */
export async function readAttachments(
  api: Api,
  volumes: readonly PodVolume[],
  ownNode: string | undefined,
  signal: AbortSignal,
): Promise<Observed<readonly Attachment[]>> {
  const claims = claimsByVolume(volumes);
  if (claims.size === 0) return seen([]);
  const path = '/apis/storage.k8s.io/v1/volumeattachments';
  const all = await attempt(api.list<Wire<V1VolumeAttachment>>(path, {}, { signal }), signal);
  if (!all.seen) return all;
  const own = all.value.map(attachment).filter(({ persistentVolume }) => claims.has(persistentVolume));
  return seen(
    await Promise.all(
      own.map(async (each) => {
        const claim = claims.get(each.persistentVolume);
        if (!claim || each.node === ownNode) return { ...each, users: seen([]) };
        return { ...each, users: await readUsers(api, claim, each.node, signal) };
      }),
    ),
  );
}

const claimsByVolume = (volumes: readonly PodVolume[]): ReadonlyMap<string, ObjectKey> =>
  new Map(
    volumes.flatMap(({ persistentVolume, claimKey }) =>
      persistentVolume?.seen && persistentVolume.value && claimKey
        ? [[persistentVolume.value.name, claimKey] as const]
        : [],
    ),
  );

/** `external-attacher/DRIVER`, set before the driver is called (external-attacher, pkg/controller/util.go). */
const attacherFinalizer = 'external-attacher/';

function attachment({ metadata, spec, status }: Wire<V1VolumeAttachment>): Omit<Attachment, 'users'> {
  const { attachError, detachError } = status ?? {};
  return {
    name: metadata?.name ?? '',
    driver: driverName(spec.attacher),
    node: nodeName(spec.nodeName),
    persistentVolume: spec.source.persistentVolumeName ?? '',
    attached: status?.attached ?? false,
    takenUp: metadata?.finalizers?.some((each) => each.startsWith(attacherFinalizer)) ?? false,
    ...(attachError?.message && { attachError: attachError.message }),
    ...(detachError?.message && { detachError: detachError.message }),
    createdAt: metadata?.creationTimestamp ?? '',
    ...(metadata?.deletionTimestamp && { deletingSince: metadata.deletionTimestamp }),
  };
}

/** Only pods of the claim's own namespace can use it. */
async function readUsers(
  api: Api,
  claim: ObjectKey,
  node: string,
  signal: AbortSignal,
): Promise<Observed<readonly VolumeUser[]>> {
  const path = `/api/v1/namespaces/${encodeURIComponent(claim.namespace)}/pods`;
  const query = { fieldSelector: `spec.nodeName=${node}` };
  const pods = await attempt(api.list<Pod>(path, query, { signal }), signal);
  return mapSeen(pods, (all) => all.filter((pod) => uses(pod, claim.name)).map(user));
}

const uses = ({ metadata, spec, status }: Pod, claim: string) =>
  status?.phase !== 'Succeeded' &&
  status?.phase !== 'Failed' &&
  (spec?.volumes ?? []).some(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim?.claimName === claim || (ephemeral && `${metadata?.name}-${name}` === claim),
  );

function user({ metadata }: Pod): VolumeUser {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  return {
    pod: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    deleting: metadata?.deletionTimestamp !== undefined,
    ...(owner && { owner: `${owner.kind}/${owner.name}` }),
  };
}
