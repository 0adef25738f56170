import { diagnose } from '../diagnose/diagnose.ts';
import type { NodeView } from '../diagnose/view.ts';
import { errorText } from '../model/error-text.ts';
import { type Finding, findingId, isSameFault } from '../model/finding.ts';
import type { Attempt, Result, StepOutcome } from '../model/outcome.ts';
import type { Rung, Step } from '../model/plan.ts';
import { canCure, type Unit } from '../plan/repair-spec.ts';
import { LeftError, type Repair, type Work } from './define-repair.ts';
import { writeJournal } from './journal.ts';
import type { NodePort } from './ports.ts';
import type { RunOptions } from './run.ts';

/** Milliseconds that an undo gets, also when the run was interrupted. */
const undoLimitMs = 30_000;

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
  const attempt = (result: Result, detail: string, notes: readonly string[] = []): Attempt => ({
    repair: repair.id,
    result,
    detail,
    took: Date.now() - begin,
    ...(notes.length > 0 && { notes }),
  });
  try {
    const view = await node.observe(recentMs);
    const unit: Unit = { node: step.node, findings: stillThere(step, view, options) };
    if (step.findings.length > 0 && unit.findings.length === 0) return attempt('gone', 'it is well by now');
    const bar = barOf(repair, step, unit, view, options);
    if (bar) return attempt('refused', bar);
    options.onProgress(node.name, repair.describe(unit, view));
    const work = { unit, view, node, signal };
    const fault = await perform(repair, work);
    if (fault === undefined) return attempt('repaired', repair.title, await notesOf(repair, work));
    if (fault.left.length > 0) return attempt(await leave(repair, work, fault, left), fault.message);
    return attempt(await takeBack(repair, work, left), fault.message);
  } catch (error) {
    return { ...attempt('refused', errorText(error)), blind: true };
  }
}

/** Notes are for the reader; that they could not be had does not undo what was verified. */
async function notesOf(repair: Repair, work: Work): Promise<readonly string[]> {
  try {
    return (await repair.notes?.(work)) ?? [];
  } catch (error) {
    return [`what is left of the old state could not be seen: ${errorText(error)}`];
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
function stillThere({ findings }: Step, view: NodeView, { rules }: RunOptions): readonly Finding[] {
  const now = diagnose({ snapshot: view.snapshot, nodes: [view] }, rules, ['agent']).findings;
  return now.filter((finding) => findings.some((before) => isSameFault(before, finding)));
}

const subjectOf = ({ findings, node }: Unit) => findings.map(findingId).join(', ') || node;

/** @returns what is still wrong afterwards, or undefined */
interface Fault {
  readonly message: string;
  /** What has neither its old state nor the new one. */
  readonly left: readonly string[];
}

async function perform(repair: Repair, work: Work): Promise<Fault | undefined> {
  const line = { repair: repair.id, subject: subjectOf(work.unit) };
  await writeJournal(work.node, { ...line, state: 'begun' });
  const fault = await actAndVerify(repair, work);
  if (fault === undefined) await noteEnd(work.node, { ...line, state: 'repaired' });
  return fault;
}

async function actAndVerify(repair: Repair, work: Work): Promise<Fault | undefined> {
  try {
    await repair.act(work);
    const message = await repair.verify(work);
    return message === undefined ? undefined : { message, left: [] };
  } catch (error) {
    return { message: errorText(error), left: error instanceof LeftError ? error.left : [] };
  }
}

async function leave({ id }: Repair, work: Work, fault: Fault, left: string[]): Promise<'failed'> {
  left.push(...fault.left);
  await noteEnd(work.node, { repair: id, subject: subjectOf(work.unit), state: 'failed' });
  return 'failed';
}

/** How a repair ended is so whether or not the journal can be told: without a word of it the next run says "interrupted". */
const noteEnd = (...[node, line]: Parameters<typeof writeJournal>) =>
  writeJournal(node, line).catch(() => undefined);

async function takeBack({ undo, id }: Repair, work: Work, left: string[]): Promise<'undone' | 'failed'> {
  const line = { repair: id, subject: subjectOf(work.unit) };
  try {
    if (typeof undo === 'function') await undo({ ...work, signal: AbortSignal.timeout(undoLimitMs) });
    await noteEnd(work.node, { ...line, state: 'undone' });
    return 'undone';
  } catch (error) {
    left.push(`${id} on ${work.node.name} could not be taken back: ${errorText(error)}`);
    await noteEnd(work.node, { ...line, state: 'failed' });
    return 'failed';
  }
}
