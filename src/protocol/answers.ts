import { type AgentRecord, type Bytes, decodeAnswer, type ErrorRecord } from './protocol.gen.ts';

type Kind = AgentRecord['kind'];
type RecordOf<K extends Kind> = Extract<AgentRecord, { kind: K }>;

/** The agent looked and said no, or could not look. `code` is one of the protocol's stable words. */
export class AgentError extends Error {
  readonly code: ErrorRecord['code'];
  readonly errno: string | null;

  constructor(record: ErrorRecord) {
    const { what, path, errno } = record;
    super([what, path, errno].filter((part) => part !== null).join(': '));
    this.name = 'AgentError';
    this.code = record.code;
    this.errno = record.errno;
  }
}

/** The connection to the node broke: whether the command was done is not known. */
export class BrokenError extends Error {
  override readonly name = 'BrokenError';
}

/** @throws AgentError when the agent refused; Error when the answer was cut off or is not the protocol's. */
export function readAnswer(text: string): readonly AgentRecord[] {
  const { ok, records } = decodeAnswer(text);
  const error = only(records, 'error')[0];
  if (!ok) throw error ? new AgentError(error) : new Error('the agent failed and did not say why');
  return records;
}

export const only = <K extends Kind>(records: readonly AgentRecord[], kind: K): readonly RecordOf<K>[] =>
  records.filter((record): record is RecordOf<K> => record.kind === kind);

/** @throws Error when the answer lacks the record that the command promises. */
export function first<K extends Kind>(records: readonly AgentRecord[], kind: K): RecordOf<K> {
  const record = only(records, kind)[0];
  if (!record) throw new Error(`the agent's answer has no ${kind} record`);
  return record;
}

/** For people: bytes that are no UTF-8 become the replacement character. */
export const legible = (bytes: Bytes) => bytes.replace(/[\udc80-\udcff]/g, '\ufffd');
