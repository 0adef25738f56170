import type { AgentRecord } from '../../protocol/protocol.gen.ts';

/** An agent command that does the first half, then waits for a word on its standard input. */
export interface Conversation {
  /** What it said before it began to wait. */
  readonly opening: readonly AgentRecord[];
  /** Says the word and reads the rest. @throws AgentError when the agent failed at it */
  say(word: string): Promise<readonly AgentRecord[]>;
  close(): void;
}
