import { diagnose } from '../diagnose/diagnose.ts';
import type { NodeView } from '../diagnose/view.ts';
import { errorText } from '../model/error-text.ts';
import { type Finding, isSameFault } from '../model/finding.ts';
import type { Attempt, Result, StepOutcome } from '../model/outcome.ts';
import type { Rung, Step } from '../model/plan.ts';
import { canCure, type Unit } from '../plan/repair-spec.ts';
import type { Repair, Work } from './define-repair.ts';
import { perform } from './perform.ts';
import type { NodePort } from './ports.ts';
import type { RunOptions } from './run.ts';

/** Milliseconds: what was seen so recently, with nothing done on the node since, need not be looked at again. */
const recentMs = 3_000;

/**
 * Climbs the ladder of one step, gentlest repair first, until one is verified.
 * @param rungs the part of the ladder to climb now
 * @param before attempts on the part below
 */
export async function climb(
  step: Step,
  node: NodePort,
  options: RunOptions,
  signal: AbortSignal,
  rungs: readonly Rung[] = step.rungs,
  before: readonly Attempt[] = [],
): Promise<StepOutcome> {
  const attempts: Attempt[] = [...before];
  const left: string[] = [];
  for (const rung of rungs.filter(({ barred }) => barred === undefined)) {
    const repair = options.repairs.find(({ id }) => id === rung.repair);
    if (!repair) continue;
    const attempt = await tryRepair(repair, step, node, options, left, signal);
    attempts.push(attempt);
    if (
      attempt.result === 'repaired' ||
      attempt.result === 'gone' ||
      attempt.result === 'failed' ||
      attempt.blind ||
      signal.aborted
    )
      break;
  }
  const all = attempts.length > 0 ? attempts : rungs.map(barredAttempt);
  return { step, result: resultOf(all), attempts: all, left };
}

/** A step without an open rung still says why nothing was done. */
const barredAttempt = ({ repair, barred = '' }: Rung): Attempt => ({
  repair,
  result: 'refused',
  detail: barred,
  took: 0,
});

/** The last attempt decides, but a refusal after a failure is still a failure. */
function resultOf(attempts: readonly Attempt[]): Result {
  const tried = attempts.filter(({ result }) => result !== 'refused');
  return tried.at(-1)?.result ?? 'refused';
}

async function tryRepair(
  repair: Repair,
  step: Step,
  node: NodePort,
  options: RunOptions,
  left: string[],
  signal: AbortSignal,
): Promise<Attempt> {
  const begin = Date.now();
  const notes: string[] = [];
  const attempt = (result: Result, detail: string, blind = false): Attempt => ({
    repair: repair.id,
    result,
    detail,
    took: Date.now() - begin,
    ...(blind && { blind }),
    ...(notes.length > 0 && { notes }),
  });
  try {
    const view = await node.observe(recentMs);
    const unit: Unit = { node: step.node, findings: stillThere(step, view, options) };
    if (step.findings.length > 0 && unit.findings.length === 0) return attempt('gone', 'it is well by now');
    const bar = barOf(repair, step, unit, view, options);
    if (bar) return attempt('refused', bar);
    options.onProgress(node.name, repair.describe(unit, view));
    const work: Work = {
      unit,
      view,
      node,
      signal,
      progress: (does) => options.onProgress(node.name, does),
      note: (text) => notes.push(text),
    };
    const end = await perform(repair, work);
    left.push(...end.left);
    if (end.result === 'repaired') await noteRemains(repair, work);
    return attempt(end.result, end.detail, end.blind);
  } catch (error) {
    return attempt('refused', errorText(error), true);
  }
}

/** Notes are for the reader; that they could not be had does not undo what was verified. */
async function noteRemains(repair: Repair, work: Work): Promise<void> {
  try {
    for (const text of (await repair.notes?.(work)) ?? []) work.note(text);
  } catch (error) {
    work.note(`what is left of the old state could not be seen: ${errorText(error)}`);
  }
}

function barOf(
  repair: Repair,
  step: Step,
  unit: Unit,
  view: NodeView,
  options: RunOptions,
): string | undefined {
  if (step.findings.length > 0 && !unit.findings.some((finding) => canCure(repair, finding)))
    return `the reason is another by now: ${unit.findings.map(({ reason }) => reason).join(', ')}`;
  return repair.bars(unit, view, options);
}

/** The step's findings as a new diagnosis has them, with the reasons of this moment. */
const stillThere = ({ findings }: Step, view: NodeView, { rules }: RunOptions): readonly Finding[] =>
  findingsIn(view, rules).filter((finding) => findings.some((before) => isSameFault(before, finding)));

/** Steps that run side by side share a look, and what the rules say of it. */
const diagnosed = new WeakMap<NodeView, { readonly rules: unknown; readonly findings: readonly Finding[] }>();

function findingsIn(view: NodeView, rules: RunOptions['rules']): readonly Finding[] {
  const known = diagnosed.get(view);
  if (known?.rules === rules) return known.findings;
  const { findings } = diagnose({ snapshot: view.snapshot, nodes: [view] }, rules, ['agent']);
  diagnosed.set(view, { rules, findings });
  return findings;
}
