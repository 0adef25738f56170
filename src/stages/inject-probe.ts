import type { CommandContext } from '../cli/context.ts';
import { type ExitCode, exitCode } from '../cli/exit-code.ts';
import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import { mapConcurrent } from '../model/concurrent.ts';
import type { WorkloadPlan } from '../model/injection.ts';
import { workloadText } from '../model/workload.ts';
import type { InjectionReport } from '../render/report.ts';
import { applyPlan } from './inject/apply.ts';
import { Facts } from './inject/facts.ts';
import { footersOf } from './inject/footers.ts';
import { type Intent, intentOf } from './inject/intent.ts';
import { type Planned, planTarget } from './inject/plan.ts';
import { findTargets, namedTargets, type Target } from './inject/targets.ts';
import { planUndo } from './inject/undo.ts';

const workloadsAtOnce = 5;

/** Finds workloads, plans, shows, asks, changes them, waits for the rollout, verifies, prints. */
export async function injectProbe(context: CommandContext, flags: Flags): Promise<ExitCode> {
  const intent = intentOf(flags);
  if (flags.filename !== undefined) {
    const { injectIntoFiles } = await import('./inject/files.ts');
    return injectIntoFiles(context, flags, intent);
  }
  const wanted = namedTargets(flags);
  const ask = intent.dryRun === 'none' && flags.yes !== true;
  if (ask && !context.interactive)
    throw new UsageError('nobody can be asked here', 'Look with --dry-run, then say --yes.');
  const { api, namespace } = await context.connect();
  const facts = new Facts(api, context.signal);
  const within = flags['all-namespaces'] === true ? undefined : ((flags.namespace as string) ?? namespace);
  const plans = await makePlans(context, facts, wanted, within, namespace, intent);
  const doable = plans.filter(({ plan }) => plan.edits.length > 0 && !plan.refused);
  const planned = reportOf(
    plans.map(({ plan }) => plan),
    intent,
  );
  if (intent.dryRun === 'client' || doable.length === 0) return conclude(context, planned);
  if (ask && !(await approved(context, flags, planned, doable.length))) return exitCode.findings;
  const outcomes = await carryOut(context, facts, plans, intent);
  return conclude(context, reportOf(outcomes, intent));
}

async function makePlans(
  context: CommandContext,
  facts: Facts,
  wanted: readonly string[] | 'all',
  within: string | undefined,
  own: string,
  intent: Intent,
): Promise<readonly Planned[]> {
  const progress = await context.progress('looking at workloads');
  try {
    const targets = await findTargets(facts, wanted, within, own);
    const plans = await mapConcurrent(targets, workloadsAtOnce, async (target) =>
      intent.mode === 'undo' ? planUndo(target, intent) : planTarget(facts, target, intent),
    );
    if (wanted !== 'all') mustFind(targets, plans, intent);
    return plans.filter((each) => each !== undefined);
  } finally {
    progress.stop();
  }
}

/** What was named and is not concerned is an error of who named it. */
function mustFind(targets: readonly Target[], plans: readonly (Planned | undefined)[], intent: Intent): void {
  const missed = targets.find((_, index) => plans[index] === undefined);
  if (!missed) return;
  const { kind, metadata } = missed.object;
  const name = workloadText({ kind, name: metadata.name, namespace: metadata.namespace ?? '' });
  if (intent.mode === 'undo')
    throw new UsageError(`nothing of inject-probe is in ${name}`, 'Leave it out; --undo --all finds those.');
  const of = intent.driver === undefined ? '' : ` of ${intent.driver}`;
  const where = intent.containers === undefined ? '' : ` in container ${intent.containers.join(', ')}`;
  throw new UsageError(
    `${name} mounts no CSI volume${of}${where}`,
    `kubectl get ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace} -o yaml shows its volumes.`,
  );
}

async function approved(
  context: CommandContext,
  flags: Flags,
  report: InjectionReport,
  count: number,
): Promise<boolean> {
  if (['table', 'wide'].includes(String(flags.output))) await context.print(report);
  return context.confirm(`Change ${count === 1 ? 'this workload' : `these ${count} workloads`}?`);
}

/** One workload after the other: a change that goes wrong stops those behind it. */
async function carryOut(
  context: CommandContext,
  facts: Facts,
  plans: readonly Planned[],
  intent: Intent,
): Promise<readonly WorkloadPlan[]> {
  const progress = await context.progress('changing');
  const done: WorkloadPlan[] = [];
  let stopped = false;
  try {
    for (const planned of plans) {
      const { plan } = planned;
      const idle = plan.edits.length === 0 || plan.refused !== undefined;
      if (idle) done.push(plan);
      else if (stopped)
        done.push({ ...plan, outcome: { result: 'refused', detail: 'left out: one before it failed' } });
      else {
        const outcome = await applyPlan(context, facts, planned, intent, progress);
        stopped = outcome.result === 'failed' || context.signal.aborted;
        done.push({ ...plan, outcome });
      }
    }
    return done;
  } finally {
    progress.stop();
  }
}

const reportOf = (workloads: readonly WorkloadPlan[], { mode, dryRun }: Intent): InjectionReport => ({
  kind: 'Injection',
  mode,
  dryRun,
  workloads,
  footers: footersOf(mode, workloads),
});

async function conclude(context: CommandContext, report: InjectionReport): Promise<ExitCode> {
  await context.print(report);
  return context.signal.aborted ? exitCode.interrupted : codeOf(report);
}

export function codeOf({ workloads }: InjectionReport): ExitCode {
  if (workloads.some(({ outcome }) => outcome?.result === 'failed')) return exitCode.left;
  const refused = workloads.some(
    (each) =>
      each.refused !== undefined ||
      each.outcome?.result === 'refused' ||
      each.containers.some(({ does }) => does === 'refuse'),
  );
  return refused ? exitCode.findings : exitCode.well;
}
