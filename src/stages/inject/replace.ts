import { setTimeout as sleep } from 'node:timers/promises';
import { isNotFound, isUncertain } from '../../cluster/errors.ts';
import { listPath } from '../../cluster/workloads/list-path.ts';
import { fieldManager, readWorkload, workloadPath } from '../../cluster/workloads/objects.ts';
import { dropManifest, keepManifest } from '../../files/kept-manifest.ts';
import { errorText } from '../../model/error-text.ts';
import type { WorkloadOutcome } from '../../model/injection.ts';
import { type WorkloadRef, workloadText } from '../../model/workload.ts';
import { anew, lostAnew } from '../../workload/change/anew.ts';
import { recordAnnotation } from '../../workload/change/record.ts';
import { editedObject } from '../../workload/change/write.ts';
import { kindOf, type WorkloadObject } from '../../workload/kinds.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import type { Planned } from './plan.ts';
import { undoText } from './undo-text.ts';

const pauseMs = 500;

/** A pod or Job is deleted and made anew with the change. The server checks the new one before the old one goes. */
export async function replaceObject(
  facts: Facts,
  planned: Planned,
  dryRun: boolean,
  intent: Pick<Intent, 'mode' | 'timeoutMs'>,
): Promise<WorkloadOutcome> {
  const lost = lostAnew(planned.object);
  if (lost) return { result: 'refused', detail: lost };
  const next = successor(planned);
  const rehearsal = { ...next, metadata: { ...next.metadata, name: rehearsalName(next) } };
  await create(facts, rehearsal, true, facts.signal);
  if (dryRun) return { result: 'validated', detail: 'the server would take the new one' };
  const kept = await keepManifest(next.metadata.name, anew(planned.object));
  const failure = await exchange(facts, planned, next, kept, intent.timeoutMs);
  return failure ?? followed(facts, planned, intent);
}

/** The old one goes, the new one comes. What was is in a file until then. @returns why not */
async function exchange(
  facts: Facts,
  planned: Planned,
  next: WorkloadObject,
  kept: string,
  timeoutMs: number,
): Promise<WorkloadOutcome | undefined> {
  const again = `kubectl create -f ${kept} makes what it was`;
  try {
    await remove(facts, planned);
  } catch (error) {
    if (facts.signal.aborted || isUncertain(error))
      return { result: 'failed', detail: `perhaps deleted: ${errorText(error)}; if it goes: ${again}` };
    await dropManifest(kept);
    throw error;
  }
  try {
    await untilGone(facts, planned.plan.workload, timeoutMs);
    await create(facts, next, false, unhindered());
  } catch (error) {
    return { result: 'failed', detail: `deleted, and not made again: ${errorText(error)}; ${again}` };
  }
  await dropManifest(kept).catch(() => undefined);
  return undefined;
}

async function followed(
  facts: Facts,
  planned: Planned,
  intent: Pick<Intent, 'mode' | 'timeoutMs'>,
): Promise<WorkloadOutcome> {
  try {
    return await running(facts, planned.plan.workload, intent.timeoutMs);
  } catch (error) {
    if (facts.signal.aborted)
      return { result: 'replaced', detail: 'deleted and made anew; interrupted before it ran' };
    const detail = `made anew, and then: ${errorText(error)}${undoText(planned, intent)}`;
    return { result: 'failed', detail };
  }
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

/** Once the old one is on its way out, an interrupt may not keep the new one from being made. */
const unhindered = () => new AbortController().signal;

const create = (facts: Facts, object: WorkloadObject, dryRun: boolean, signal: AbortSignal) => {
  const kind = kindOf(object);
  const path = listPath(kind?.group ?? '', kind?.resource ?? '', object.metadata.namespace);
  return facts.api.create(path, object, { fieldManager, ...(dryRun && { dryRun: 'All' }) }, { signal });
};

function remove({ api, signal }: Facts, { object, plan }: Planned): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const how = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Foreground' };
  return api.remove(workloadPath(plan.workload), how, {}, { signal });
}

async function untilGone(facts: Facts, ref: WorkloadRef, timeoutMs: number): Promise<void> {
  const end = Date.now() + (timeoutMs || Number.POSITIVE_INFINITY);
  while (await isThere(facts, ref)) {
    if (Date.now() > end) throw new Error(`${workloadText(ref)} is being deleted and does not go`);
    await sleep(pauseMs);
  }
}

const isThere = (facts: Facts, ref: WorkloadRef) =>
  readWorkload(facts.api, ref, unhindered()).then(
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
    await sleep(pauseMs, undefined, { signal: facts.signal });
  }
}
