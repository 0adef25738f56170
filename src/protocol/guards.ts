import { decodeRecord, type JournalRecord } from './protocol.gen.ts';

/** A directory that an agent made immutable during a repair, and that no journal on the node says is free again. */
export interface Guard {
  readonly run: string;
  readonly target: string;
  /** The agent has decided what becomes of the target; false while it holds it, or when it was killed. */
  readonly released: boolean;
}

interface Line {
  /** Of the lines that the client writes; an agent's have none. */
  readonly at?: string;
}

/** What the journals of all runs say in the end, each run after those that began before it. */
export function openGuards(records: readonly JournalRecord[]): readonly Guard[] {
  const runs = [...Map.groupBy(records, ({ run }) => run)].sort(([, a], [, b]) =>
    beginOf(a) < beginOf(b) ? -1 : 1,
  );
  const open = new Map<string, Guard>();
  for (const [run, lines] of runs) for (const { line } of lines) follow(open, run, line);
  return [...open.values()];
}

function follow(open: Map<string, Guard>, run: string, line: string): void {
  const record = agentLine(line);
  if (record?.kind !== 'guarded' && record?.kind !== 'released' && record?.kind !== 'unguarded') return;
  const { target } = record;
  if (record.kind !== 'unguarded' && record.guarded)
    open.set(target, { run, target, released: record.kind === 'released' });
  else open.delete(target);
}

/** A line that was cut off, or is the client's own, is no record of an agent's. */
function agentLine(line: string) {
  try {
    return decodeRecord(line);
  } catch {
    return undefined;
  }
}

function beginOf(lines: readonly JournalRecord[]): string {
  return lines.map(({ line }) => atOf(line)).find((at) => at !== undefined) ?? '';
}

function atOf(line: string): string | undefined {
  try {
    return (JSON.parse(line) as Line).at;
  } catch {
    return undefined;
  }
}

/** The line that tells later readers that a guard was taken off. */
export const unguardedLine = (target: string, layers: number) =>
  JSON.stringify({ v: 1, kind: 'unguarded', target, changed: true, layers });
