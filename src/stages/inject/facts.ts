import type { V1Pod } from '@kubernetes/client-node';
import type { Api } from '../../cluster/api.ts';
import { listPods } from '../../cluster/workloads/objects.ts';
import { readOwnerIndex } from '../../cluster/workloads/owner-index.ts';
import { readVolumeObjects } from '../../cluster/workloads/volume-objects.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { refOf, type WorkloadObject } from '../../workload/kinds.ts';
import { controllerOf, type OwnerIndex, ownerChain } from '../../workload/owners.ts';
import type { VolumeObjects } from '../../workload/volumes.ts';

export type Pod = Wire<V1Pod>;

/** What is known of a namespace, read when it is first asked for. */
export class Facts {
  readonly api: Api;
  readonly signal: AbortSignal;
  readonly #volumes = new Map<string, Promise<VolumeObjects>>();
  readonly #owners = new Map<string, Promise<OwnerIndex>>();
  readonly #pods = new Map<string, Promise<readonly Pod[]>>();

  readonly #more: VolumeObjects;

  /** @param more objects that are not in the cluster yet; they count for more than those that are */
  constructor(api: Api, signal: AbortSignal, more: VolumeObjects = { claims: [], volumes: [], classes: [] }) {
    this.api = api;
    this.signal = signal;
    this.#more = more;
  }

  volumes(namespace: string): Promise<VolumeObjects> {
    return once(this.#volumes, namespace, async () => {
      const { claims, volumes, classes } = await readVolumeObjects(this.api, this.signal, namespace);
      return {
        claims: [...this.#more.claims, ...claims],
        volumes: [...this.#more.volumes, ...volumes],
        classes: [...this.#more.classes, ...classes],
      };
    });
  }

  /** @throws Error when ReplicaSets or Jobs cannot be read: a pod would pass for one that nobody owns */
  owners(namespace: string): Promise<OwnerIndex> {
    return once(this.#owners, namespace, async () => {
      const index = await readOwnerIndex(this.api, this.signal, namespace);
      if (!index.seen) throw new Error(`who owns the pods cannot be read: ${index.why}`);
      return index.value;
    });
  }

  /** Pods that a workload made, and that are not on their way out. */
  async podsOf(object: WorkloadObject): Promise<readonly Pod[]> {
    const { kind, name, namespace } = refOf(object);
    const [pods, owners] = await Promise.all([
      once(this.#pods, namespace, () => listPods(this.api, this.signal, namespace)),
      this.owners(namespace),
    ]);
    const isIts = (pod: Pod) =>
      kind === 'Pod'
        ? pod.metadata?.name === name
        : ownerChain(controllerOf(pod), owners).some((each) => each.kind === kind && each.name === name);
    return pods.filter((pod) => pod.metadata?.deletionTimestamp === undefined && isIts(pod));
  }

  /** What was read of pods is no longer so. */
  forgetPods(namespace: string): void {
    this.#pods.delete(namespace);
    this.#owners.delete(namespace);
  }
}

function once<T>(cache: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = cache.get(key) ?? read();
  cache.set(key, known);
  return known;
}
