import type { WorkloadRef } from './workload.ts';

/** A change of one field of a pod spec. */
export interface Edit {
  /** Field names from the pod spec down; an item of a list by its merge key, as `name=app`. */
  readonly path: readonly string[];
  /** null where the field was, or is to be, absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What is to be done with one container. */
export interface ContainerPlan {
  readonly name: string;
  readonly does: 'inject' | 'combine' | 'propagate' | 'restore' | 'nothing' | 'refuse';
  readonly paths: readonly string[];
  readonly drivers: readonly string[];
  /** The probe's command. */
  readonly command?: readonly string[];
  /** Why nothing is done. */
  readonly why?: string;
  /** What to type instead. */
  readonly next?: string;
  readonly notes: readonly string[];
}

export interface WorkloadPlan {
  readonly workload: WorkloadRef;
  readonly containers: readonly ContainerPlan[];
  readonly edits: readonly Edit[];
  /** Why the object is not changed, although containers of it would be. */
  readonly refused?: { readonly why: string; readonly next: string };
  readonly warnings: readonly string[];
  /** The pod spec before and after, as a diff of YAML: lines that begin with a space, `-`, `+` or `@`. */
  readonly diff: readonly string[];
  /** What is sent: a strategic merge patch. */
  readonly patch?: Readonly<Record<string, unknown>>;
  readonly outcome?: WorkloadOutcome;
}

export interface WorkloadOutcome {
  /** `validated`: by a server-side dry run. `failed`: something is left. */
  readonly result: 'changed' | 'validated' | 'replaced' | 'refused' | 'failed';
  readonly detail: string;
}
