import type { Edit } from '../../model/injection.ts';
import type { WorkloadObject } from '../kinds.ts';
import { podSpecOf } from '../kinds.ts';
import { isSame, valueAt } from './edit.ts';

/** Annotation of the object itself, not of its template: it starts no rollout. */
export const recordAnnotation = 'kubectl-csi/injected';

/** What was changed in an object, so that it can be taken back exactly. */
export interface ChangeRecord {
  readonly version: 1;
  readonly edits: readonly Edit[];
  /** The ConfigMap that was made for it. */
  readonly configMap?: string;
}

/** @returns undefined where nothing of ours is in the object; 'unreadable' where the annotation is not ours */
export function recordOf({ metadata }: WorkloadObject): ChangeRecord | 'unreadable' | undefined {
  const text = metadata.annotations?.[recordAnnotation];
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as ChangeRecord;
    return record.version === 1 && Array.isArray(record.edits) ? record : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

export const recordText = (record: ChangeRecord) => JSON.stringify(record);

/** Edits whose field is no longer as we left it, and not as it was before either. */
export function changedSince(object: WorkloadObject, { edits }: ChangeRecord): readonly Edit[] {
  const spec = podSpecOf(object);
  return edits.filter(({ path, before, after }) => {
    const now = valueAt(spec, path);
    return !isSame(now, after) && !isSame(now, before);
  });
}

/** Those that are still in it. */
export const stillThere = (object: WorkloadObject, { edits }: ChangeRecord): readonly Edit[] =>
  edits.filter(({ path, after }) => isSame(valueAt(podSpecOf(object), path), after));
