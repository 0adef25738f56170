import type { CommandContext } from '../../cli/context.ts';
import type { Progress } from '../../cli/progress.ts';
import { isConflict } from '../../cluster/errors.ts';
import { patchWorkload, readWorkload } from '../../cluster/workloads/objects.ts';
import { errorText } from '../../model/error-text.ts';
import type { WorkloadOutcome, WorkloadPlan } from '../../model/injection.ts';
import { workloadText } from '../../model/workload.ts';
import { isSame, valueAt } from '../../workload/change/edit.ts';
import { recordOf } from '../../workload/change/record.ts';
import { kindOf, podSpecOf, type WorkloadObject } from '../../workload/kinds.ts';
import { makeConfigMap, removeConfigMap } from './carrier.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import type { Planned } from './plan.ts';
import { replaceObject } from './replace.ts';
import { awaitRollout, type Waited } from './rollout.ts';
import { verifyProbes } from './verify.ts';

/** Carries a plan out, waits for its rollout, and verifies it; or lets the server check it. */
export async function applyPlan(
  context: CommandContext,
  facts: Facts,
  planned: Planned,
  intent: Intent,
  progress: Progress,
): Promise<WorkloadOutcome> {
  const { plan } = planned;
  progress.update(workloadText(plan.workload));
  try {
    return await carryOut(context, facts, planned, intent, progress);
  } catch (error) {
    context.signal.throwIfAborted();
    return { result: 'refused', detail: errorText(error) };
  }
}

async function carryOut(
  context: CommandContext,
  facts: Facts,
  planned: Planned,
  intent: Intent,
  progress: Progress,
): Promise<WorkloadOutcome> {
  const dryRun = intent.dryRun === 'server';
  if (planned.configMap) await makeConfigMap(facts, planned.configMap, dryRun);
  if (kindOf(planned.object)?.fixed) return replaceObject(facts, planned, dryRun, intent.timeoutMs);
  const patched = await patchOnce(facts, planned, dryRun);
  const lost = lostFields(patched, planned.plan);
  if (lost.length > 0)
    return {
      result: dryRun ? 'refused' : 'failed',
      detail: `the server did not keep ${lost.join(', ')}: an admission webhook changes it`,
    };
  if (dryRun) return { result: 'validated', detail: 'the server would take it' };
  if (!intent.wait) return { result: 'changed', detail: 'not waited for its rollout' };
  const waited = await awaitRollout(facts, planned.plan.workload, intent.timeoutMs, (text) =>
    progress.update(`${workloadText(planned.plan.workload)}: ${text}`),
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
  const { kind, name, namespace } = planned.plan.workload;
  const target = `${kind.toLowerCase()}/${name} -n ${namespace}`;
  if (!rollout.done) {
    const why = rollout.stuck ?? (late ? `not done within ${intent.timeoutMs / 1000} s` : 'not done');
    const undo =
      intent.mode === 'undo' ? '' : `; kubectl csi inject-probe ${target} --undo takes the change back`;
    return { result: 'failed', detail: `the rollout is stuck (${rollout.text}): ${why}${undo}` };
  }
  facts.forgetPods(namespace);
  const left = await removeSpare(facts, planned, intent);
  if (left) return { result: 'failed', detail: left };
  if (intent.mode === 'undo') return { result: 'changed', detail: rollout.text };
  const failure = await verifyProbes(facts, planned);
  if (failure)
    return {
      result: 'failed',
      detail: `${failure}; kubectl csi inject-probe ${target} --undo takes it back`,
    };
  return { result: 'changed', detail: rollout.text };
}

/** The ConfigMap that no pod refers to any more. @returns what is left, in words */
async function removeSpare(facts: Facts, { object, record, plan }: Planned, { mode }: Intent) {
  const earlier = recordOf(object);
  const old = earlier !== 'unreadable' ? earlier?.configMap : undefined;
  const spare = old !== undefined && (mode === 'undo' || old !== record?.configMap);
  return spare ? removeConfigMap(facts, plan.workload.namespace, old) : undefined;
}
