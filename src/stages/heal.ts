import type { CommandContext } from '../cli/context.ts';
import { type ExitCode, exitCode } from '../cli/exit-code.ts';
import type { Flags } from '../cli/global-flags.ts';
import { oneOf, UsageError } from '../cli/usage-error.ts';
import { rules } from '../diagnose/rules/index.gen.ts';
import type { Diagnosis, Finding } from '../model/finding.ts';
import type { Outcome } from '../model/outcome.ts';
import { type Plan, risks } from '../model/plan.ts';
import { makePlan, type PlanOptions, planRequested } from '../plan/make-plan.ts';
import type { Repair } from '../repair/define-repair.ts';
import { runPlan } from '../repair/run.ts';
import { codeOf, judge } from './judge.ts';
import { type LiveSight, visit } from './look.ts';
import { worldOf } from './world.ts';

/** What a command leaves of a heal: which findings it takes up, and with which repairs. */
export interface HealChoice {
  readonly repairs: readonly Repair[];
  /** The findings that this command is about. */
  concerns(finding: Finding): boolean;
}

export interface Intent extends PlanOptions {
  readonly dryRun: boolean;
  readonly maxFailures: number;
  readonly nodesAtOnce?: number;
  readonly ask: boolean;
}

/** Looks, plans, asks, repairs, verifies, prints. `heal`, `rescan` and others are this with another choice. */
export async function heal(context: CommandContext, flags: Flags, choice: HealChoice): Promise<ExitCode> {
  const intent = intentOf(context, flags);
  const sight = await visit(context, flags, { access: intent.dryRun ? 'read' : 'repair' });
  try {
    const whole = judge(sight);
    const diagnosis: Diagnosis = { ...whole, findings: whole.findings.filter(choice.concerns) };
    const plan = makePlan(
      diagnosis.findings,
      sight.view,
      choice.repairs.filter(({ onRequest }) => !onRequest),
      intent,
    );
    return await carryOut(context, sight, plan, diagnosis, choice, intent);
  } finally {
    await sight.close();
  }
}

/** The same for a repair that the user asked for by name: on every node in scope, finding or not. */
export async function request(context: CommandContext, flags: Flags, repair: Repair): Promise<ExitCode> {
  const intent = intentOf(context, { ...flags, 'max-risk': repair.risk });
  const sight = await visit(context, flags, { access: intent.dryRun ? 'read' : 'repair' });
  try {
    const whole = judge(sight);
    const diagnosis: Diagnosis = {
      findings: [],
      blindSpots: whole.blindSpots.filter(({ subject }) => !subject.driver),
    };
    const plan = planRequested(repair, sight.view.nodes, intent);
    return await carryOut(
      context,
      sight,
      plan,
      diagnosis,
      { repairs: [repair], concerns: () => true },
      intent,
    );
  } finally {
    await sight.close();
  }
}

export function intentOf(context: CommandContext, flags: Flags): Intent {
  const all = flags.all === true;
  const nodes =
    ((flags.node as readonly string[] | undefined) ?? []).length > 0 || flags.selector !== undefined;
  const named = nodes || flags.target !== undefined || flags.namespace !== undefined;
  if (all && nodes) throw new UsageError('--all excludes --node and --selector', 'Give one of them.');
  const dryRun = isDryRun(flags['dry-run'] as string | undefined);
  const ask = !dryRun && !named && !all && flags.yes !== true;
  if (ask && !context.interactive)
    throw new UsageError('nobody can be asked here', 'Name a node with --node, or say --all or --yes.');
  const maxFailures = flags['max-failures'] as number;
  if (!Number.isInteger(maxFailures) || maxFailures < 1)
    throw new UsageError('--max-failures wants a whole number of at least 1', 'Leave it out for 1.');
  return {
    dryRun,
    ask,
    maxFailures,
    maxRisk: oneOf('risk', flags['max-risk'] as string, risks),
    force: flags.force === true,
  };
}

/** As in kubectl: bare means client. A server-side dry run of mounts and renames does not exist. */
function isDryRun(value: string | undefined): boolean {
  if (value === undefined) return false;
  return oneOf('--dry-run', value === '' ? 'client' : value, ['none', 'client']) === 'client';
}

export async function carryOut(
  context: CommandContext,
  sight: LiveSight,
  plan: Plan,
  diagnosis: Diagnosis,
  choice: HealChoice,
  intent: Intent,
): Promise<ExitCode> {
  if (intent.dryRun || plan.steps.length === 0) {
    await context.print({ kind: 'Plan', plan, diagnosis });
    return codeOf(diagnosis);
  }
  if (intent.ask && !(await approved(context, plan, diagnosis))) return exitCode.findings;
  const notes: string[] = [];
  const outcome = await perform(context, sight, plan, choice.repairs, intent, notes);
  await context.print({
    kind: 'Outcome',
    outcome,
    refusals: plan.refusals,
    blindSpots: diagnosis.blindSpots,
    notes,
  });
  return outcomeCode(outcome, plan, diagnosis);
}

async function approved(context: CommandContext, plan: Plan, diagnosis: Diagnosis): Promise<boolean> {
  await context.print({ kind: 'Plan', plan, diagnosis });
  return context.confirm('Do this?');
}

/** Runs a plan on the nodes of a sight whose debug pods still stand. */
export async function perform(
  context: CommandContext,
  sight: LiveSight,
  plan: Plan,
  repairs: readonly Repair[],
  { maxFailures, nodesAtOnce = 1, force }: Pick<Intent, 'maxFailures' | 'nodesAtOnce' | 'force'>,
  notes: string[],
): Promise<Outcome> {
  const progress = await context.progress('repairing');
  const options = {
    run: sight.run,
    repairs,
    rules,
    maxFailures,
    nodesAtOnce,
    force,
    onProgress: (node: string, does: string) => progress.update(`${node}: ${does}`),
    onNote: (node: string, note: string) => notes.push(`${node}: ${note}`),
  };
  try {
    return await runPlan(plan, worldOf(sight, context), options, context.signal);
  } finally {
    progress.stop();
  }
}

/** The worst that happened decides. Refused findings and blind spots remain, and say so. */
export function outcomeCode(
  { steps, stopped }: Outcome,
  { refusals }: Plan,
  { blindSpots }: Diagnosis,
): ExitCode {
  const results = new Set(steps.map(({ result }) => result));
  if (results.has('failed')) return exitCode.left;
  if (results.has('undone')) return exitCode.undone;
  if (stopped === 'interrupted') return exitCode.interrupted;
  if (results.has('refused') || stopped || refusals.length > 0) return exitCode.findings;
  return blindSpots.length > 0 ? exitCode.unseen : exitCode.well;
}
