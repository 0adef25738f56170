import { errorText } from '../model/error-text.ts';
import { findingId } from '../model/finding.ts';
import type { Result } from '../model/outcome.ts';
import type { Unit } from '../plan/repair-spec.ts';
import { BrokenError } from '../protocol/answers.ts';
import { LeftError, RefusedError, type Repair, type Work } from './define-repair.ts';
import { type JournalLine, writeJournal } from './journal.ts';

/** Milliseconds that an undo gets, also when the run was interrupted. */
const undoLimitMs = 30_000;

/** How one repair ended. */
export interface Ending {
  readonly result: Exclude<Result, 'gone'>;
  readonly detail: string;
  /** What has neither its old state nor the new one. */
  readonly left: readonly string[];
  /** The connection broke: a riskier repair has no ground then. */
  readonly blind?: boolean;
}

/** Journals, acts, verifies, and takes back what did not help. */
export async function perform(repair: Repair, work: Work): Promise<Ending> {
  await writeJournal(work.node, lineOf(repair, work, 'begun'));
  const ending = await end(repair, work);
  // How a repair ended is so whether or not the journal can be told: without a word of it the next run says "interrupted".
  await writeJournal(work.node, lineOf(repair, work, ending.result)).catch(() => undefined);
  return ending;
}

const subjectOf = ({ findings, node }: Unit) => findings.map(findingId).join(', ') || node;

const lineOf = ({ id }: Repair, { unit }: Work, state: JournalLine['state']) => ({
  repair: id,
  subject: subjectOf(unit),
  state,
});

async function end(repair: Repair, work: Work): Promise<Ending> {
  const ending = await actAndVerify(repair, work);
  return ending.result === 'undone' ? takeBack(repair, work, ending) : ending;
}

async function actAndVerify(repair: Repair, work: Work): Promise<Ending> {
  try {
    await repair.act(work);
    return endingOf(repair, await repair.verify(work));
  } catch (error) {
    if (error instanceof RefusedError) return { result: 'refused', detail: error.message, left: [] };
    if (error instanceof LeftError) return { result: 'failed', detail: error.message, left: error.left };
    if (error instanceof BrokenError) return lookAgain(repair, work, error);
    return endingOf(repair, errorText(error));
  }
}

const endingOf = ({ title }: Repair, wrong: string | undefined): Ending =>
  wrong === undefined
    ? { result: 'repaired', detail: title, left: [] }
    : { result: 'undone', detail: wrong, left: [] };

/** A connection that broke tells nothing of what was done on the node: what counts is what is there now. */
async function lookAgain(repair: Repair, work: Work, { message }: BrokenError): Promise<Ending> {
  try {
    const left = (await repair.settle?.(work)) ?? [];
    const ending = endingOf(repair, await repair.verify(work));
    if (ending.result === 'repaired') return ending;
    const detail = `${message}; looked again: ${ending.detail}`;
    return { result: left.length > 0 ? 'failed' : 'undone', detail, left, blind: true };
  } catch (error) {
    const detail = `${message}; the node could not be looked at again: ${errorText(error)}`;
    const unknown = `${work.node.name}: what became of ${subjectOf(work.unit)} is not known`;
    return { result: 'failed', detail, left: [unknown], blind: true };
  }
}

async function takeBack({ undo, id }: Repair, work: Work, ending: Ending): Promise<Ending> {
  try {
    if (typeof undo === 'function') await undo({ ...work, signal: AbortSignal.timeout(undoLimitMs) });
    return ending;
  } catch (error) {
    const left = `${id} on ${work.node.name} could not be taken back: ${errorText(error)}`;
    return { ...ending, result: 'failed', left: [left] };
  }
}
