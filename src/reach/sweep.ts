import type { V1ConfigMap, V1Lease, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { Api } from '../cluster/api.ts';
import { isConflict, isForbidden, isNotFound } from '../cluster/errors.ts';
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
  const found = await Promise.all([objects(api, signal, now), leases(api, signal, now)]);
  const all = found.flat();
  const abandoned = all.filter((each) => each.abandoned);
  const results = await Promise.all(
    abandoned.map(async ({ name, remove }) => ({ name, failure: await remove() })),
  );
  return {
    removed: results.filter(({ failure }) => failure === undefined).map(({ name }) => name),
    kept: all.filter((each) => !each.abandoned).map(({ name }) => name),
    failed: results.flatMap(({ failure }) => failure ?? []),
  };
}

const query = { labelSelector: managedBySelector };

async function objects(api: Api, signal: AbortSignal, now: number): Promise<readonly Leftover[]> {
  const [pods, maps] = await Promise.all([
    api.list<Wire<V1Pod>>('/api/v1/pods', query, { signal }),
    api.list<Wire<V1ConfigMap>>('/api/v1/configmaps', query, { signal }),
  ]);
  const leftover = (kind: string, path: typeof pathOfPod, meta: Meta = {}): Leftover => ({
    name: `${kind} ${meta.namespace}/${meta.name}`,
    abandoned: isAbandoned(meta, now),
    remove: () => removeQuietly(api, path(meta.namespace ?? '', meta.name ?? '')),
  });
  return [
    ...pods.map(({ metadata }) => leftover('pod', pathOfPod, metadata)),
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
