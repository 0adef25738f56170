import type { V1PersistentVolumeClaim, V1PodSpec } from '@kubernetes/client-node';
import type { Wire } from '../kubelet/wire.ts';
import type { WorkloadRef } from '../model/workload.ts';
import type { PodTemplate } from './volumes.ts';

/** A kind of object that pods come from, or a pod itself. */
export interface WorkloadKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Path of the API group, such as `/apis/apps/v1`. */
  readonly group: string;
  /** Plural name in paths. */
  readonly resource: string;
  /** kubectl's other words for it. */
  readonly words: readonly string[];
  /** Where its pod spec is. */
  readonly podSpec: readonly string[];
  /** Why its pod spec cannot be changed; absent where it can. */
  readonly fixed?: string;
  /** What happens with pods that run when its template changes; absent where it replaces them. */
  readonly lag?: string;
}

const template = ['spec', 'template', 'spec'] as const;
const apps = { apiVersion: 'apps/v1', group: '/apis/apps/v1', podSpec: template } as const;
const batch = { apiVersion: 'batch/v1', group: '/apis/batch/v1' } as const;

export const workloadKinds: readonly WorkloadKind[] = [
  { ...apps, kind: 'Deployment', resource: 'deployments', words: ['deployment', 'deploy'] },
  { ...apps, kind: 'StatefulSet', resource: 'statefulsets', words: ['statefulset', 'sts'] },
  { ...apps, kind: 'DaemonSet', resource: 'daemonsets', words: ['daemonset', 'ds'] },
  {
    ...apps,
    kind: 'ReplicaSet',
    resource: 'replicasets',
    words: ['replicaset', 'rs'],
    lag: 'a ReplicaSet does not replace its pods: each has it once you delete it',
  },
  {
    ...batch,
    kind: 'CronJob',
    resource: 'cronjobs',
    words: ['cronjob', 'cj'],
    podSpec: ['spec', 'jobTemplate', ...template],
    lag: 'jobs that run go on without it: the next job has it',
  },
  {
    ...batch,
    kind: 'Job',
    resource: 'jobs',
    words: ['job'],
    podSpec: template,
    fixed: "a Job's pod template cannot be changed (the API server refuses it)",
  },
  {
    apiVersion: 'v1',
    group: '/api/v1',
    kind: 'Pod',
    resource: 'pods',
    words: ['pod', 'po'],
    podSpec: ['spec'],
    fixed: "a pod's probes and mounts cannot be changed (the API server refuses it)",
  },
];

/** By kubectl's words: singular, plural, short, with or without the group behind a dot. */
export function kindOfWord(word: string): WorkloadKind | undefined {
  const plain = word.toLowerCase().replace(/\.(v1\.)?(apps|batch)$/, '');
  return workloadKinds.find(({ words, resource }) => resource === plain || words.includes(plain));
}

export const kindOf = ({ kind, apiVersion }: Pick<WorkloadRef, 'kind' | 'apiVersion'>) =>
  workloadKinds.find((each) => each.kind === kind && (!apiVersion || each.apiVersion === apiVersion));

/** An object of one of these kinds, as it travels. */
export interface WorkloadObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: WorkloadMeta;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface WorkloadMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  }[];
  readonly managedFields?: readonly { readonly manager?: string }[];
}

export const refOf = ({ apiVersion, kind, metadata }: WorkloadObject): WorkloadRef => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? 'default',
  name: metadata.name,
  ...(metadata.uid && { uid: metadata.uid }),
});

export function podSpecOf(object: WorkloadObject): Wire<V1PodSpec> {
  const path = kindOf(object)?.podSpec ?? [];
  const spec = path.reduce<unknown>(
    (part, key) => (part as Readonly<Record<string, unknown>> | undefined)?.[key],
    object,
  );
  return { containers: [], ...(spec as object) };
}

/** `{spec: {template: {spec: VALUE}}}`, for the kind at hand. */
export const aroundPodSpec = (object: WorkloadObject, value: unknown): Readonly<Record<string, unknown>> =>
  (kindOf(object)?.podSpec ?? []).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Readonly<
    Record<string, unknown>
  >;

/** What volumes are looked up for. @param namespace where the object does not say */
export function templateOf(object: WorkloadObject, namespace: string): PodTemplate {
  const { kind, metadata, spec } = object;
  const templates = spec.volumeClaimTemplates as readonly Wire<V1PersistentVolumeClaim>[] | undefined;
  return {
    namespace: metadata.namespace ?? namespace,
    spec: podSpecOf(object),
    ...(kind === 'Pod' && { pod: metadata.name }),
    ...(templates && { claimTemplates: { set: metadata.name, templates } }),
  };
}
