import type { Rule } from '../diagnose/define-rule.ts';
import { mapConcurrent } from '../model/concurrent.ts';
import { countOf } from '../model/count.ts';
import { errorText } from '../model/error-text.ts';
import type { NodeName } from '../model/ids.ts';
import type { Outcome, StepOutcome } from '../model/outcome.ts';
import type { Plan, Step } from '../model/plan.ts';
import type { GuardOptions } from '../plan/repair-spec.ts';
import { climbAll, notBegun } from './climb-all.ts';
import type { Repair } from './define-repair.ts';
import { recordOutcome } from './events.ts';
import { clearJournal, interruptedRuns, readGuards } from './journal.ts';
import type { Admitted, NodePort, WorldPort } from './ports.ts';

export interface RunOptions extends GuardOptions {
  readonly run: string;
  readonly repairs: readonly Repair[];
  /** Asked again before each repair, so that nothing is done about what is well by then. */
  readonly rules: readonly Rule[];
  /** The run ends when this many nodes have failed. */
  readonly maxFailures: number;
  /** Nodes that are worked on at the same time; 1 where absent. */
  readonly nodesAtOnce?: number;
  /** Told of each repair as it begins. */
  readonly onProgress: (node: NodeName, does: string) => void;
  readonly onNote: (node: NodeName, note: string) => void;
}

/** Events that are written at the same time. */
const eventsAtOnce = 8;

const isFailure = ({ result }: StepOutcome) => result === 'failed' || result === 'undone';

/** Runs a plan, node after node, and verifies each step. Never throws for what one node does. */
export async function runPlan(
  plan: Plan,
  world: WorldPort,
  options: RunOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcomes: StepOutcome[] = [];
  let failures = 0;
  const nodes = [...Map.groupBy(plan.steps, (step) => step.node)];
  await mapConcurrent(nodes, options.nodesAtOnce ?? 1, async ([node, steps]) => {
    if (signal.aborted || failures >= options.maxFailures) return;
    const done = await runNode(node, steps, world, options, signal);
    outcomes.push(...done);
    if (done.some(isFailure)) failures += 1;
  });
  const stopped = stoppedBy(failures, outcomes.length < plan.steps.length, options, signal);
  return { run: options.run, steps: outcomes, ...(stopped && { stopped }) };
}

function stoppedBy(
  failures: number,
  early: boolean,
  { maxFailures }: RunOptions,
  signal: AbortSignal,
): string | undefined {
  if (failures >= maxFailures && early)
    return `${countOf(failures, 'node')} failed (--max-failures ${maxFailures})`;
  return signal.aborted ? 'interrupted' : undefined;
}

async function runNode(
  node: NodeName,
  steps: readonly Step[],
  world: WorldPort,
  options: RunOptions,
  signal: AbortSignal,
): Promise<readonly StepOutcome[]> {
  let admitted: Admitted;
  try {
    admitted = await world.admit(node);
  } catch (error) {
    return steps.map((step) => notBegun(step, errorText(error)));
  }
  try {
    return await runSteps(steps, admitted, world, options, AbortSignal.any([signal, admitted.signal]));
  } finally {
    await admitted.release();
  }
}

async function runSteps(
  steps: readonly Step[],
  { port }: Admitted,
  world: WorldPort,
  options: RunOptions,
  signal: AbortSignal,
): Promise<readonly StepOutcome[]> {
  const interrupted = await interruptedRuns(port).catch(() => []);
  for (const { run, line } of interrupted)
    options.onNote(
      port.name,
      `run ${run} was interrupted at ${line.at} during ${line.repair} of ${line.subject}`,
    );
  const outcomes = await climbAll(steps, port, options, signal);
  await mapConcurrent(outcomes, eventsAtOnce, (outcome) => recordOutcome(outcome, world, options.repairs));
  const failed = outcomes.some(({ result }) => result === 'failed');
  await clearJournals(port, [...interrupted.map(({ run }) => run), ...(failed ? [] : [port.run])]);
  return outcomes;
}

/** A journal is all that tells of a guard beneath a mount: it stays as long as there is one. */
async function clearJournals(port: NodePort, runs: readonly string[]): Promise<void> {
  const guards = await readGuards(port).catch(() => undefined);
  for (const run of guards ? runs : [])
    if (!guards?.some((guard) => guard.run === run)) await clearJournal(port, run).catch(() => undefined);
}
