import type { ObjectKey } from '../model/ids.ts';
import type { WorkloadRef } from '../model/workload.ts';

/** The controlling owner of each object that stands between pods and what people deploy: ReplicaSets and Jobs. */
export type OwnerIndex = ReadonlyMap<string, WorkloadRef>;

interface WithOwners {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        readonly ownerReferences?: readonly OwnerReference[] | undefined;
      }
    | undefined;
}

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
}

const keyOf = ({ kind, namespace, name }: WorkloadRef) => `${kind}/${namespace}/${name}`;

/** Who controls an object; undefined for one that stands by itself. Owners are always of the object's own namespace. */
export function controllerOf({ metadata }: WithOwners): WorkloadRef | undefined {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return undefined;
  const { apiVersion, kind, name, uid } = owner;
  return { apiVersion, kind, namespace: metadata?.namespace ?? '', name, uid };
}

export function ownerIndex(kind: string, objects: readonly WithOwners[]): OwnerIndex {
  return new Map(
    objects.flatMap((object) => {
      const owner = controllerOf(object);
      const { name = '', namespace = '' } = object.metadata ?? {};
      return owner ? [[keyOf({ kind, namespace, name }), owner] as const] : [];
    }),
  );
}

/**
 * From a pod's controlling owner up: ReplicaSet, Deployment. It ends at what nobody controls, or at a kind whose
 * objects are not in the index: an operator's own.
 */
export function ownerChain(owner: WorkloadRef | undefined, index: OwnerIndex): readonly WorkloadRef[] {
  const chain: WorkloadRef[] = [];
  for (let next = owner; next && !chain.some((each) => keyOf(each) === keyOf(next as WorkloadRef)); ) {
    chain.push(next);
    next = index.get(keyOf(next));
  }
  return chain;
}

/** What people deployed so that this pod runs; undefined for a bare pod. */
export const topOwner = (owner: WorkloadRef | undefined, index: OwnerIndex): WorkloadRef | undefined =>
  ownerChain(owner, index).at(-1);

/** The owner that a snapshot's `VolumeUse` names as `KIND/NAME`. */
export function ownerOfUse(use: {
  readonly pod: ObjectKey;
  readonly owner?: string;
}): WorkloadRef | undefined {
  const [kind, name] = use.owner?.split('/') ?? [];
  return kind && name ? { kind, name, namespace: use.pod.namespace } : undefined;
}
