import type { V1ConfigMap, V1Lease, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { Api } from '../cluster/api.ts';
import { isConflict, isForbidden, isNotFound } from '../cluster/errors.ts';
import { handoverLabel } from '../kubelet/handover.ts';
import type { Wire } from '../kubelet/wire.ts';
import { errorText } from '../model/error-text.ts';
import { clientOfHolder, hasEnded } from './client-identity.ts';
import { pathOfConfigMap, pathOfPod, removeQuietly } from './pod/debug-pod.ts';
import { clientAnnotation, expiresAnnotation, leaseNamespace, managedBySelector } from './pod/labels.ts';

type Meta = Wire<V1ObjectMeta>;

export interface Swept {
  /** `pod NAMESPACE/NAME`, `configmap NAMESPACE/NAME`, `lease NAMESPACE/NAME`. */
  readonly removed: readonly string[];
  /** Objects of runs that may still be going on. */
  readonly kept: readonly string[];
  readonly failed: readonly string[];
  /** Second drivers that carry volumes: their end would be that of the mounts. Never taken here; absent where there are none. */
  readonly standing?: readonly string[];
}

/** Ours to delete: past its own expiry, or left by a client of this machine that has ended. Never a colleague's run. */
export function isAbandoned(meta: Meta, now: number): boolean {
  const expires = Date.parse(meta.annotations?.[expiresAnnotation] ?? '');
  return expires < now || hasEnded(meta.annotations?.[clientAnnotation] ?? '');
}

/** Run out, or held by a client of this machine that has ended. */
export function isLeaseAbandoned({ spec }: Wire<V1Lease>, now: number): boolean {
  const until = Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? 0) * 1000;
  return until < now || hasEnded(clientOfHolder(spec?.holderIdentity ?? ''));
}

interface Leftover {
  readonly name: string;
  readonly abandoned: boolean;
  /** @returns what failed, in words */
  remove(): Promise<string | undefined>;
}

/** Removes what interrupted runs left. */
export async function sweep(api: Api, signal: AbortSignal, now = Date.now()): Promise<Swept> {
  const pods = await api.list<OwnPod>('/api/v1/pods', query, { signal });
  const found = await Promise.all([objects(api, pods, signal, now), leases(api, signal, now)]);
  const all = found.flat();
  const abandoned = all.filter((each) => each.abandoned);
  const results = await Promise.all(
    abandoned.map(async ({ name, remove }) => ({ name, failure: await remove() })),
  );
  return {
    removed: results.filter(({ failure }) => failure === undefined).map(({ name }) => name),
    kept: all.filter((each) => !each.abandoned).map(({ name }) => name),
    failed: results.flatMap(({ failure }) => failure ?? []),
    ...(pods.some(isSecond) && { standing: pods.filter(isSecond).map(standingText) }),
  };
}

type OwnPod = Wire<V1Pod>;

const isSecond = ({ metadata }: OwnPod) => metadata?.labels?.[handoverLabel] !== undefined;

const standingText = ({ metadata, spec }: OwnPod) =>
  `pod ${metadata?.namespace}/${metadata?.name} carries volumes: kubectl csi restart ${metadata?.labels?.[handoverLabel]} --node ${spec?.nodeName}`;

const query = { labelSelector: managedBySelector };

async function objects(
  api: Api,
  pods: readonly OwnPod[],
  signal: AbortSignal,
  now: number,
): Promise<readonly Leftover[]> {
  const maps = await api.list<Wire<V1ConfigMap>>('/api/v1/configmaps', query, { signal });
  const leftover = (kind: string, path: typeof pathOfPod, meta: Meta = {}): Leftover => ({
    name: `${kind} ${meta.namespace}/${meta.name}`,
    abandoned: isAbandoned(meta, now),
    remove: () => removeQuietly(api, path(meta.namespace ?? '', meta.name ?? '')),
  });
  return [
    ...pods.filter((pod) => !isSecond(pod)).map(({ metadata }) => leftover('pod', pathOfPod, metadata)),
    ...maps.map(({ metadata }) => leftover('configmap', pathOfConfigMap, metadata)),
  ];
}

/** A user who may not list them gets no failure for it: a lease runs out by itself. */
async function leases(api: Api, signal: AbortSignal, now: number): Promise<readonly Leftover[]> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${leaseNamespace}/leases`;
  const list = await api.list<Wire<V1Lease>>(path, query, { signal }).catch((error: unknown) => {
    if (isForbidden(error)) return [];
    throw error;
  });
  return list.map((lease) => ({
    name: `lease ${leaseNamespace}/${lease.metadata?.name}`,
    abandoned: isLeaseAbandoned(lease, now),
    remove: () => removeUnchanged(api, `${path}/${lease.metadata?.name}`, lease.metadata ?? {}),
  }));
}

/** Somebody may have taken it over a moment ago. */
async function removeUnchanged(api: Api, path: string, { uid, resourceVersion }: Meta) {
  try {
    await api.remove(path, { preconditions: { uid, resourceVersion } });
    return undefined;
  } catch (error) {
    return isNotFound(error) || isConflict(error) ? undefined : `${path}: ${errorText(error)}`;
  }
}
