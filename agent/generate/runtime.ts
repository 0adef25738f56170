/**
 * A byte string of the node: a path, an argument. Valid UTF-8 stands as it is; any other byte 0xNN is the
 * lone surrogate U+DCNN, so that nothing is lost.
 */
export type Bytes = string;

interface Field {
  readonly name: string;
  readonly base: string;
  readonly form: string;
  readonly nullable: boolean;
  readonly array: boolean;
}

interface Argument {
  readonly flag: string;
  readonly key: string;
  readonly type: string;
}

/** The agent's answer can't be understood: cut off, garbled, or from another version. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/**
 * Reads one line of the agent's output.
 * @throws {ProtocolError} on anything that this version of the protocol does not define
 */
export function decodeRecord(line: string): AgentRecord {
  const value = parseObject(line);
  if (value.v !== PROTOCOL_VERSION) {
    throw new ProtocolError(`the agent speaks version ${show(value.v)}, this program version ${PROTOCOL_VERSION}`);
  }
  const fields = typeof value.kind === 'string' && Object.hasOwn(RECORDS, value.kind) ? RECORDS[value.kind] : undefined;
  if (fields === undefined) throw new ProtocolError(`unknown kind of record: ${show(value.kind)}`);
  const { v: _version, kind, ...members } = value;
  return { kind, ...decodeFields(String(kind), fields, members) } as unknown as AgentRecord;
}

/**
 * Reads a whole answer and checks that nothing of it is missing.
 * @returns all records but the last; `ok` is false when an error record says why the answer is not complete
 * @throws {ProtocolError} when the end record is missing, not last, or counts other records than arrived
 */
export function decodeAnswer(text: string): { readonly ok: boolean; readonly records: readonly AgentRecord[] } {
  const records = text.split('\n').filter((line) => line !== '').map(decodeRecord);
  const end = records.pop();
  if (end?.kind !== 'end') throw new ProtocolError('the answer of the agent was cut off');
  if (end.records !== records.length) {
    throw new ProtocolError(`the agent wrote ${end.records} records, ${records.length} arrived`);
  }
  return { ok: end.ok, records };
}

/** The bytes that a byte string stands for. */
export function toBuffer(bytes: Bytes): Buffer {
  const parts = bytes.split(/([\udc80-\udcff])(?<![\ud800-\udbff].)/);
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.from([part.charCodeAt(0) & 0xff]) : Buffer.from(part))),
  );
}

/** The byte string that stands for these bytes. */
export function fromBuffer(buffer: Uint8Array): Bytes {
  let text = '';
  for (let start = 0; start < buffer.length; ) {
    const length = sequenceLength(buffer, start);
    text +=
      length > 0
        ? Buffer.from(buffer.subarray(start, start + length)).toString('utf8')
        : String.fromCharCode(0xdc00 | (buffer[start] ?? 0));
    start += Math.max(length, 1);
  }
  return text;
}

/** Writes every byte outside `A-Za-z0-9/._~-` as %NN, as the agent wants its paths and texts. */
export function percentEncode(bytes: Bytes): string {
  return toBuffer(bytes)
    .toString('latin1')
    .replace(/[^A-Za-z0-9/._~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
}

function sequenceLength(buffer: Uint8Array, start: number): number {
  const lead = buffer[start] ?? 0;
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  const sequence = buffer.subarray(start, start + length);
  const valid = sequence.length === length && length > 0 && new TextDecoder().decode(sequence).length <= 2;
  return valid && Buffer.from(Buffer.from(sequence).toString('utf8')).equals(Buffer.from(sequence)) ? length : 0;
}

function commandLine(command: string, given: object): string[] {
  const values = given as Readonly<Record<string, unknown>>;
  const words = (COMMANDS[command] ?? []).flatMap(({ flag, key, type }) => {
    const value = values[key];
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    if (type === 'words') return [flag, (value as readonly string[]).join(',')];
    const encode = ['path', 'name', 'text'].includes(type) ? percentEncode : String;
    return (Array.isArray(value) ? value : [value]).flatMap((item) => [flag, encode(item)]);
  });
  return [command, ...words];
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {}
  throw new ProtocolError(`not a record of the agent: ${show(line)}`);
}

function decodeFields(owner: string, fields: readonly Field[], members: object): Readonly<Record<string, unknown>> {
  const known = new Set(fields.map(({ name }) => name));
  const extra = Object.keys(members).find((name) => !known.has(name));
  if (extra !== undefined) throw new ProtocolError(`${owner}: unknown field ${extra}`);
  return Object.fromEntries(
    fields.map((field) => [field.name, decodeField(`${owner}.${field.name}`, field, Reflect.get(members, field.name))]),
  );
}

function decodeField(path: string, field: Field, value: unknown): unknown {
  if (value === undefined) throw new ProtocolError(`${path} is missing`);
  if (value === null && field.nullable) return null;
  if (!field.array) return decodeValue(path, field, value);
  if (!Array.isArray(value)) throw wrongType(path, 'an array', value);
  return value.map((item, index) => decodeValue(`${path}[${index}]`, field, item));
}

function decodeValue(path: string, { base, form }: Field, value: unknown): unknown {
  if (form === 'struct') {
    if (typeof value !== 'object' || value === null) throw wrongType(path, 'an object', value);
    return decodeFields(path, TYPES[base] ?? [], value);
  }
  if (form === 'enum') {
    const values = ENUMS[base] ?? [];
    if (!values.includes(value as string)) throw wrongType(path, values.join(' or '), value);
    return value;
  }
  const check = CHECKS[base];
  if (check === undefined || !check.accepts(value)) throw wrongType(path, check?.words ?? base, value);
  return value;
}

const CHECKS: Readonly<Record<string, { readonly words: string; accepts(value: unknown): boolean }>> = {
  text: { words: 'a string', accepts: (value) => typeof value === 'string' },
  bytes: { words: 'a string', accepts: (value) => typeof value === 'string' },
  uint: { words: 'a whole number', accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0 },
  int: { words: 'a whole number', accepts: (value) => Number.isSafeInteger(value) },
  u64: { words: 'a decimal string', accepts: (value) => typeof value === 'string' && /^\d{1,20}$/.test(value) },
  bool: { words: 'true or false', accepts: (value) => typeof value === 'boolean' },
};

function wrongType(path: string, words: string, value: unknown): ProtocolError {
  return new ProtocolError(`${path} must be ${words}, not ${show(value)}`);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 120);
}
