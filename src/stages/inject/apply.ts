import type { CommandContext } from '../../cli/context.ts';
import type { Progress } from '../../cli/progress.ts';
import { isConflict, isUncertain } from '../../cluster/errors.ts';
import { patchWorkload, readWorkload } from '../../cluster/workloads/objects.ts';
import { errorText } from '../../model/error-text.ts';
import type { WorkloadOutcome, WorkloadPlan } from '../../model/injection.ts';
import { workloadText } from '../../model/workload.ts';
import { isSame, valueAt } from '../../workload/change/edit.ts';
import { kindOf, podSpecOf, type WorkloadObject } from '../../workload/kinds.ts';
import { makeConfigMap, removeConfigMap } from './carrier.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import type { Planned } from './plan.ts';
import { replaceObject } from './replace.ts';
import { awaitRollout, type Waited } from './rollout.ts';
import { removeSpare } from './spare.ts';
import { undoText } from './undo-text.ts';
import { verifyProbes } from './verify.ts';

/** Carries a plan out, waits for its rollout, and verifies it; or lets the server check it. */
export async function applyPlan(
  context: CommandContext,
  facts: Facts,
  planned: Planned,
  intent: Intent,
  progress: Progress,
): Promise<WorkloadOutcome> {
  progress.update(workloadText(planned.plan.workload));
  const changed = await change(facts, planned, intent);
  if ('result' in changed) return changed;
  try {
    return await followUp(context, facts, planned, intent, progress);
  } catch (error) {
    if (context.signal.aborted) return interrupted(planned);
    return { result: 'failed', detail: `changed, and then: ${errorText(error)}${undoText(planned, intent)}` };
  }
}

/** @returns the outcome where nothing is to be waited for */
async function change(
  facts: Facts,
  planned: Planned,
  intent: Intent,
): Promise<WorkloadOutcome | WorkloadObject> {
  const dryRun = intent.dryRun === 'server';
  let made = false;
  let patching = false;
  try {
    made = planned.configMap !== undefined && (await makeConfigMap(facts, planned.configMap, dryRun));
    if (kindOf(planned.object)?.fixed) {
      const outcome = await replaceObject(facts, planned, dryRun, intent);
      return outcome.result === 'refused' ? refusal(facts, planned, outcome.detail, made) : outcome;
    }
    patching = !dryRun;
    return judged(await patchOnce(facts, planned, dryRun), planned, intent);
  } catch (error) {
    facts.signal.throwIfAborted();
    if (!patching || !isUncertain(error)) return refusal(facts, planned, errorText(error), made);
    const detail = `${errorText(error)}; whether it was changed is not known${undoText(planned, intent)}`;
    return { result: 'failed', detail };
  }
}

/** Nothing was changed, so that what was made for the change goes too. */
async function refusal(
  facts: Facts,
  { configMap, plan }: Planned,
  detail: string,
  made: boolean,
): Promise<WorkloadOutcome> {
  const left =
    made && configMap && (await removeConfigMap(facts, plan.workload.namespace, configMap.metadata.name));
  return left ? { result: 'failed', detail: `${detail}; ${left}` } : { result: 'refused', detail };
}

/** What the server made of the patch. */
function judged(patched: WorkloadObject, planned: Planned, intent: Intent): WorkloadOutcome | WorkloadObject {
  const dryRun = intent.dryRun === 'server';
  const lost = lostFields(patched, planned.plan);
  if (lost.length > 0) {
    const detail = `the server did not keep ${lost.join(', ')}: an admission webhook changes it`;
    return dryRun
      ? { result: 'refused', detail }
      : { result: 'failed', detail: detail + undoText(planned, intent) };
  }
  if (dryRun) return { result: 'validated', detail: 'the server would take it' };
  return intent.wait ? patched : { result: 'changed', detail: 'not waited for its rollout' };
}

async function followUp(
  context: CommandContext,
  facts: Facts,
  planned: Planned,
  intent: Intent,
  progress: Progress,
): Promise<WorkloadOutcome> {
  const { workload } = planned.plan;
  const waited = await awaitRollout(facts, workload, intent.timeoutMs, (text) =>
    progress.update(`${workloadText(workload)}: ${text}`),
  );
  return context.signal.aborted ? interrupted(planned) : concluded(facts, planned, waited, intent);
}

/** Another writer in between is no reason to give up, unless it changed the pod template. */
async function patchOnce(facts: Facts, planned: Planned, dryRun: boolean): Promise<WorkloadObject> {
  const { plan, object } = planned;
  const patch = (version: string | undefined) => {
    const { metadata, ...rest } = plan.patch as { readonly metadata: object };
    const body = { metadata: { ...metadata, resourceVersion: version, uid: object.metadata.uid }, ...rest };
    return patchWorkload(facts.api, plan.workload, body, dryRun, facts.signal);
  };
  try {
    return await patch(object.metadata.resourceVersion);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await readWorkload(facts.api, plan.workload, facts.signal);
    if (
      !isSame(podSpecOf(now), podSpecOf(object)) ||
      !isSame(now.metadata.annotations, object.metadata.annotations)
    )
      throw new Error('somebody changed it at the same time: try again');
    return patch(now.metadata.resourceVersion);
  }
}

const lostFields = (object: WorkloadObject, { edits }: WorkloadPlan) =>
  edits
    .filter(({ path, after }) => !isSame(valueAt(podSpecOf(object), path), after))
    .map(({ path }) => path.join('.'));

const interrupted = ({ plan: { workload } }: Planned): WorkloadOutcome => ({
  result: 'changed',
  detail: `interrupted: its rollout goes on; kubectl rollout status ${workload.kind.toLowerCase()}/${workload.name} -n ${workload.namespace} waits for it`,
});

async function concluded(
  facts: Facts,
  planned: Planned,
  { rollout, late }: Waited,
  intent: Intent,
): Promise<WorkloadOutcome> {
  if (!rollout.done) {
    const why = rollout.stuck ?? (late ? `not done within ${intent.timeoutMs / 1000} s` : 'not done');
    const detail = `the rollout is stuck (${rollout.text}): ${why}${undoText(planned, intent)}`;
    return { result: 'failed', detail };
  }
  facts.forgetPods(planned.plan.workload.namespace);
  const { failure, kept } = await removeSpare(facts, planned, intent);
  if (failure) return { result: 'failed', detail: failure };
  const changed = { result: 'changed', detail: kept ? `${rollout.text}; ${kept}` : rollout.text } as const;
  if (intent.mode === 'undo') return changed;
  const unwell = await verifyProbes(facts, planned);
  return unwell ? { result: 'failed', detail: `${unwell}${undoText(planned, intent)}` } : changed;
}
