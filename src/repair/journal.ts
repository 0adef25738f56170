import { only } from '../protocol/answers.ts';
import { type Guard, openGuards, unguardedLine } from '../protocol/guards.ts';
import { agentArgs, type JournalRecord } from '../protocol/protocol.gen.ts';
import type { NodePort } from './ports.ts';

/** A line of the journal on the node. It lies under /run, so it ends at a reboot, as the things it speaks of do. */
export interface JournalLine {
  /** RFC 3339. */
  readonly at: string;
  readonly repair: string;
  readonly subject: string;
  readonly state: 'begun' | 'repaired' | 'refused' | 'undone' | 'failed';
}

/** Stored on the node before anything is done there. */
export async function writeJournal(node: NodePort, line: Omit<JournalLine, 'at'>): Promise<void> {
  const stamped: JournalLine = { at: new Date().toISOString(), ...line };
  await node.agent(agentArgs.journalAppend({ run: node.run, line: JSON.stringify(stamped) }));
}

export const clearJournal = (node: NodePort, run: string) => node.agent(agentArgs.journalClear({ run }));

export interface Interrupted {
  readonly run: string;
  readonly line: JournalLine;
}

const readJournals = async (node: NodePort): Promise<readonly JournalRecord[]> =>
  only(await node.agent(agentArgs.journalRead({})), 'journal');

/** The last lines of other runs that began something and never wrote how it ended. The agent's own lines have no state. */
export async function interruptedRuns(node: NodePort): Promise<readonly Interrupted[]> {
  const records = (await readJournals(node)).filter(({ run }) => run !== node.run);
  const byRun = Map.groupBy(records, ({ run }) => run);
  return [...byRun].flatMap(([run, lines]) => {
    const line = lines.map((each) => parseLine(each.line)).findLast((each) => each?.state !== undefined);
    return line?.state === 'begun' ? [{ run, line }] : [];
  });
}

export const readGuards = async (node: NodePort): Promise<readonly Guard[]> =>
  openGuards(await readJournals(node));

/** Told in the journal of the run that had set the guard. */
export async function noteUnguarded(node: NodePort, { run, target }: Guard, layers: number): Promise<void> {
  await node.agent(agentArgs.journalAppend({ run, line: unguardedLine(target, layers) }));
}

function parseLine(text: string): JournalLine | undefined {
  try {
    return JSON.parse(text) as JournalLine;
  } catch {
    return undefined;
  }
}
