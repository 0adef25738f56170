import { dump } from 'js-yaml';
import type { Edit } from '../../model/injection.ts';
import { aroundPodSpec, podSpecOf, type WorkloadObject } from '../kinds.ts';
import { diffLines } from './diff.ts';
import { applied } from './edit.ts';
import { patchOf } from './patch.ts';
import { type ChangeRecord, recordAnnotation, recordText } from './record.ts';

/** The object with the edits in its pod spec; nothing else of it differs. */
export function editedObject(object: WorkloadObject, edits: readonly Edit[]): WorkloadObject {
  const edited = aroundPodSpec(object, applied(podSpecOf(object), edits));
  return merged(object, edited) as WorkloadObject;
}

/** The parts on the way to the pod spec are merged, the pod spec itself is taken. */
function merged(object: unknown, along: Readonly<Record<string, unknown>>): unknown {
  const [key = '', ...more] = Object.keys(along);
  if (more.length > 0 || key === 'containers') return along;
  const fields = (object ?? {}) as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: merged(fields[key], along[key] as Readonly<Record<string, unknown>>) };
}

export const diffOf = (object: WorkloadObject, edits: readonly Edit[]): readonly string[] => {
  const before = podSpecOf(object);
  return diffLines(yaml(before), yaml(applied(before, edits)));
};

const yaml = (value: unknown) => dump(value, { noRefs: true, lineWidth: -1, noArrayIndent: true });

/**
 * One strategic merge patch: the edits, and the record of them in an annotation.
 * @param record null where nothing of ours is left in the object
 */
export const objectPatch = (
  object: WorkloadObject,
  edits: readonly Edit[],
  record: ChangeRecord | null,
): Readonly<Record<string, unknown>> => ({
  metadata: { annotations: { [recordAnnotation]: record && recordText(record) } },
  ...(edits.length > 0 && aroundPodSpec(object, patchOf(podSpecOf(object), edits))),
});
