import type { ContainerPlan, Edit } from '../../model/injection.ts';
import { inverse } from '../../workload/change/edit.ts';
import { changedSince, recordAnnotation, recordOf, stillThere } from '../../workload/change/record.ts';
import { diffOf, objectPatch } from '../../workload/change/write.ts';
import { refOf, type WorkloadObject } from '../../workload/kinds.ts';
import type { Intent } from './intent.ts';
import { emptyPlan, type Planned, refusalOf } from './plan.ts';
import type { Target } from './targets.ts';

/** @returns undefined where nothing of ours is in the object */
export function planUndo(target: Target, intent: Intent): Planned | undefined {
  const { object } = target;
  const record = recordOf(object);
  if (record === undefined) return undefined;
  if (record === 'unreadable')
    return {
      object,
      record: undefined,
      plan: { ...emptyPlan(target), refused: forget(object, 'cannot be read') },
    };
  const changed = changedSince(object, record);
  if (changed.length > 0)
    return {
      object,
      record,
      plan: {
        ...emptyPlan(target),
        containers: containersOf(changed, 'refuse', 'somebody changed this since'),
        refused: forget(object, `does not fit any more: ${changed.map(fieldText).join(', ')} changed since`),
      },
    };
  const edits = inverse(stillThere(object, record));
  const refused = edits.length > 0 ? refusalOf(target, intent) : undefined;
  return {
    object,
    record,
    plan: {
      ...emptyPlan(target),
      containers: containersOf(edits, 'restore', ''),
      edits,
      diff: diffOf(object, edits),
      patch: objectPatch(object, edits, null),
      ...(refused && { refused }),
    },
  };
}

const fieldText = ({ path }: Edit) => path.map((step) => step.replace(/^name=/, '')).join('.');

function forget(object: WorkloadObject, why: string) {
  const { kind, name, namespace } = refOf(object);
  const target = `${kind.toLowerCase()}/${name} -n ${namespace}`;
  return {
    why: `the record of the change in the annotation ${recordAnnotation} ${why}`,
    next: `change it by hand (kubectl edit ${target}), and then: kubectl annotate ${target} ${recordAnnotation}-`,
  };
}

/** The containers that edits touch, each once. */
function containersOf(
  edits: readonly Edit[],
  does: ContainerPlan['does'],
  why: string,
): readonly ContainerPlan[] {
  const names = edits.flatMap(({ path: [group, item = ''] }) =>
    group === 'volumes' ? [] : item.replace(/^name=/, ''),
  );
  return [...new Set(names)].map((name) => ({
    name,
    does,
    paths: [],
    drivers: [],
    notes: [],
    ...(why && { why }),
  }));
}
