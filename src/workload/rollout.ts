import type { WorkloadObject } from './kinds.ts';

export interface Rollout {
  readonly done: boolean;
  /** How far it is, for a person. */
  readonly text: string;
  /** Why it will not come to an end by itself. */
  readonly stuck?: string;
}

type Numbers = Readonly<Record<string, number | undefined>>;

/** How far pods follow the template, as `kubectl rollout status` counts (k8s.io/kubectl/pkg/polymorphichelpers). */
export function rolloutOf(object: WorkloadObject): Rollout {
  const { kind, metadata, status = {} } = object;
  const seen = (status.observedGeneration as number | undefined) ?? 0;
  if (kind in rollouts && seen < (metadata.generation ?? 0))
    return { done: false, text: 'not yet seen by its controller' };
  return (
    rollouts[kind]?.(object, status as Numbers) ?? { done: true, text: 'there is no rollout to wait for' }
  );
}

const progress = (updated: number, ready: number, wanted: number): Rollout => ({
  done: updated >= wanted && ready >= wanted,
  text: `${updated} of ${wanted} pods have it, ${ready} are ready`,
});

const rollouts: Readonly<Record<string, (object: WorkloadObject, status: Numbers) => Rollout>> = {
  Deployment({ spec, status }, { replicas = 0, updatedReplicas = 0, availableReplicas = 0 }) {
    if (spec.paused === true)
      return { done: false, text: 'paused', stuck: 'it is paused: kubectl rollout resume goes on' };
    const conditions = (status?.conditions ?? []) as readonly { type: string; reason?: string }[];
    const late = conditions.some(({ reason }) => reason === 'ProgressDeadlineExceeded');
    const wanted = Math.max((spec.replicas as number | undefined) ?? 1, replicas);
    const rollout = progress(updatedReplicas, availableReplicas, wanted);
    return late ? { ...rollout, done: false, stuck: 'it exceeded its progress deadline' } : rollout;
  },
  StatefulSet({ spec, status }, { updatedReplicas = 0, readyReplicas = 0 }) {
    const strategy = spec.updateStrategy as
      | { type?: string; rollingUpdate?: { partition?: number } }
      | undefined;
    if (strategy?.type === 'OnDelete') return onDelete;
    const partition = strategy?.rollingUpdate?.partition ?? 0;
    const wanted = Math.max(0, ((spec.replicas as number | undefined) ?? 1) - partition);
    const same = status?.currentRevision === status?.updateRevision && partition === 0;
    return progress(same ? wanted : updatedReplicas, readyReplicas, wanted);
  },
  DaemonSet({ spec }, { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 }) {
    if ((spec.updateStrategy as { type?: string } | undefined)?.type === 'OnDelete') return onDelete;
    return progress(updatedNumberScheduled, numberAvailable, desiredNumberScheduled);
  },
};

const onDelete: Rollout = {
  done: true,
  text: 'its update strategy is OnDelete: each pod has it once you delete it',
};
