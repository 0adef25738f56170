import { setTimeout as sleep } from 'node:timers/promises';
import { isNotFound } from '../../cluster/errors.ts';
import { listPath } from '../../cluster/workloads/list-path.ts';
import { fieldManager, readWorkload, workloadPath } from '../../cluster/workloads/objects.ts';
import { errorText } from '../../model/error-text.ts';
import type { WorkloadOutcome } from '../../model/injection.ts';
import { type WorkloadRef, workloadText } from '../../model/workload.ts';
import { anew, lostAnew } from '../../workload/change/anew.ts';
import { recordAnnotation } from '../../workload/change/record.ts';
import { editedObject } from '../../workload/change/write.ts';
import { kindOf, type WorkloadObject } from '../../workload/kinds.ts';
import type { Facts } from './facts.ts';
import type { Planned } from './plan.ts';

/** A pod or Job is deleted and made anew with the change. The server checks the new one before the old one goes. */
export async function replaceObject(
  facts: Facts,
  planned: Planned,
  dryRun: boolean,
  timeoutMs: number,
): Promise<WorkloadOutcome> {
  const lost = lostAnew(planned.object);
  if (lost) return { result: 'refused', detail: lost };
  const next = successor(planned);
  await create(facts, { ...next, metadata: { ...next.metadata, name: rehearsalName(next) } }, true);
  if (dryRun) return { result: 'validated', detail: 'the server would take the new one' };
  await removeOld(facts, planned, timeoutMs);
  try {
    await create(facts, next, false);
  } catch (error) {
    return {
      result: 'failed',
      detail: `deleted, and not made again: ${errorText(error)}; create it from this: ${JSON.stringify(anew(planned.object))}`,
    };
  }
  return running(facts, planned.plan.workload, timeoutMs);
}

function successor({ object, plan }: Planned): WorkloadObject {
  const patch = plan.patch as { metadata: { annotations: Record<string, string | null> } };
  const record = patch.metadata.annotations[recordAnnotation];
  const { [recordAnnotation]: _old, ...others } = object.metadata.annotations ?? {};
  const annotations = { ...others, ...(record && { [recordAnnotation]: record }) };
  const edited = anew(editedObject(object, plan.edits));
  return { ...edited, metadata: { ...edited.metadata, annotations } };
}

const rehearsalName = ({ metadata }: WorkloadObject) => `${metadata.name.slice(0, 50)}-kubectl-csi`;

const create = (facts: Facts, object: WorkloadObject, dryRun: boolean) => {
  const kind = kindOf(object);
  const path = listPath(kind?.group ?? '', kind?.resource ?? '', object.metadata.namespace);
  return facts.api.create(
    path,
    object,
    { fieldManager, ...(dryRun && { dryRun: 'All' }) },
    { signal: facts.signal },
  );
};

async function removeOld(facts: Facts, { object, plan }: Planned, timeoutMs: number): Promise<void> {
  const preconditions = { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion };
  const { api, signal } = facts;
  await api.remove(
    workloadPath(plan.workload),
    { preconditions, propagationPolicy: 'Foreground' },
    {},
    { signal },
  );
  const end = Date.now() + (timeoutMs || Number.POSITIVE_INFINITY);
  // From here on an interrupt may not leave the user without both.
  while (await isThere(facts, plan.workload)) {
    if (Date.now() > end)
      throw new Error(
        `${workloadText(plan.workload)} is being deleted and does not go; nothing was made in its place`,
      );
    await sleep(500);
  }
}

const isThere = (facts: Facts, ref: WorkloadRef) =>
  readWorkload(facts.api, ref, new AbortController().signal).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );

async function running(facts: Facts, ref: WorkloadRef, timeoutMs: number): Promise<WorkloadOutcome> {
  const end = Date.now() + (timeoutMs || Number.POSITIVE_INFINITY);
  for (;;) {
    const { kind, status } = await readWorkload(facts.api, ref, facts.signal);
    const phase = String(kind === 'Pod' ? status?.phase : 'Running');
    if (phase === 'Running') return { result: 'replaced', detail: 'deleted and made anew' };
    if (Date.now() > end) return { result: 'failed', detail: `made anew, and still ${phase}` };
    await sleep(500, undefined, { signal: facts.signal });
  }
}
