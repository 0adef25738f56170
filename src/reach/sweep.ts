import type { V1ConfigMap, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { Api } from '../cluster/api.ts';
import type { Wire } from '../kubelet/wire.ts';
import { hasEnded } from './client-identity.ts';
import { pathOfConfigMap, pathOfPod, removeQuietly } from './debug-pod.ts';
import { clientAnnotation, expiresAnnotation, managedBySelector } from './labels.ts';

type Meta = Wire<V1ObjectMeta>;

export interface Swept {
  /** `pod NAMESPACE/NAME`, `configmap NAMESPACE/NAME`. */
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

/** Removes what interrupted runs left. */
export async function sweep(api: Api, signal: AbortSignal, now = Date.now()): Promise<Swept> {
  const query = { labelSelector: managedBySelector };
  const [pods, maps] = await Promise.all([
    api.list<Wire<V1Pod>>('/api/v1/pods', query, { signal }),
    api.list<Wire<V1ConfigMap>>('/api/v1/configmaps', query, { signal }),
  ]);
  const objects = [
    ...pods.map(({ metadata }) => ({ kind: 'pod', meta: metadata ?? {}, path: pathOfPod })),
    ...maps.map(({ metadata }) => ({ kind: 'configmap', meta: metadata ?? {}, path: pathOfConfigMap })),
  ];
  const name = ({ kind, meta }: (typeof objects)[number]) => `${kind} ${meta.namespace}/${meta.name}`;
  const abandoned = objects.filter(({ meta }) => isAbandoned(meta, now));
  const results = await Promise.all(
    abandoned.map(async (object) => ({
      object,
      failure: await removeQuietly(api, object.path(object.meta.namespace ?? '', object.meta.name ?? '')),
    })),
  );
  return {
    removed: results.filter(({ failure }) => failure === undefined).map(({ object }) => name(object)),
    kept: objects.filter((object) => !abandoned.includes(object)).map(name),
    failed: results.flatMap(({ failure }) => failure ?? []),
  };
}
