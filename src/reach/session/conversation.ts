import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ExecStream } from '../../cluster/http/exec.ts';
import { readAnswer } from '../../protocol/answers.ts';
import { type AgentRecord, decodeRecord } from '../../protocol/protocol.gen.ts';

/** An agent command that does the first half, then waits for a word on its standard input. */
export interface Conversation {
  /** What it said before it began to wait. */
  readonly opening: readonly AgentRecord[];
  /** Says the word and reads the rest. @throws AgentError when the agent failed at it */
  say(word: string): Promise<readonly AgentRecord[]>;
  close(): void;
}

/**
 * @param waits how many records of this kind come before the agent waits
 * @throws AgentError when the agent refuses at once
 */
export async function converse(
  stream: ExecStream,
  waits: { readonly kind: AgentRecord['kind']; readonly count: number },
): Promise<Conversation> {
  const lines = createInterface({ input: stream.stdout })[Symbol.asyncIterator]();
  const opening: AgentRecord[] = [];
  const raw: string[] = [];
  while (opening.filter(({ kind }) => kind === waits.kind).length < waits.count) {
    const line = await lines.next();
    if (line.done) throw await broken(stream, raw);
    raw.push(line.value);
    const record = decodeRecord(line.value);
    if (record.kind === 'end') return readAnswer(raw.join('\n')) && refused();
    opening.push(record);
  }
  return {
    opening,
    async say(word) {
      stream.stdin.write(`${word}\n`);
      for (let line = await lines.next(); !line.done; line = await lines.next()) raw.push(line.value);
      return readAnswer(raw.join('\n'));
    },
    close: () => stream.close(),
  };
}

function refused(): never {
  throw new Error('the agent ended before it was told what to do');
}

async function broken(stream: ExecStream, raw: readonly string[]): Promise<Error> {
  const { message } = await stream.status;
  const errors = await text(stream.stderr).catch(() => '');
  return new Error(errors || message || `the agent broke off after ${raw.length} records`);
}
