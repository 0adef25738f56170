import assert from 'node:assert/strict';
import fc from 'fast-check';
import { generateProtocol, isCurrent } from '../../scripts/generate-protocol.mjs';
import {
  agentArgs,
  decodeAnswer,
  decodeRecord,
  fromBuffer,
  PROTOCOL_VERSION,
  ProtocolError,
  percentEncode,
  toBuffer,
} from '../../src/protocol/protocol.gen.ts';

const hello = {
  v: PROTOCOL_VERSION,
  kind: 'hello',
  agent: '1.2.3',
  arch: 'x86_64',
  kernel: '6.1',
  bootId: null,
  uptime: 5,
};

describe('agent protocol', () => {
  it('is generated from its schema', () => {
    assert.deepEqual(
      generateProtocol()
        .filter((output) => !isCurrent(output))
        .map(({ file }) => file.pathname),
      [],
    );
  });

  it('decodes a record', () => {
    const { v: _version, ...record } = hello;
    assert.deepEqual(decodeRecord(JSON.stringify(hello)), record);
  });

  for (const [what, line, words] of [
    ['text', 'Error: exec failed', /not a record/],
    ['half a line', JSON.stringify(hello).slice(0, 40), /not a record/],
    ['an array', '[]', /version undefined|missing/],
    ['another version', JSON.stringify({ ...hello, v: 2 }), /speaks version 2, this program version 1/],
    ['an unknown kind', JSON.stringify({ ...hello, kind: 'toString' }), /unknown kind of record: "toString"/],
    ['a missing field', JSON.stringify({ ...hello, uptime: undefined }), /hello.uptime is missing/],
    ['an unknown field', JSON.stringify({ ...hello, more: 1 }), /hello: unknown field more/],
    ['null where none may be', JSON.stringify({ ...hello, kernel: null }), /hello.kernel must be a string/],
    ['a number that is not whole', JSON.stringify({ ...hello, uptime: 0.5 }), /hello.uptime must be a whole/],
    ['a number as text', JSON.stringify({ ...hello, uptime: '5' }), /hello.uptime must be a whole number/],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => decodeRecord(line),
        (error) => error instanceof ProtocolError && words.test(error.message),
      );
    });
  }

  it('recognises an answer that was cut off, wherever', () => {
    const end = JSON.stringify({ v: PROTOCOL_VERSION, kind: 'end', ok: true, records: 2 });
    const lines = [JSON.stringify(hello), JSON.stringify(hello), end].map((line) => `${line}\n`);
    assert.equal(decodeAnswer(lines.join('')).records.length, 2);
    const whole = lines.join('');
    for (let length = 0; length < whole.length - 1; length++) {
      assert.throws(() => decodeAnswer(whole.slice(0, length)), ProtocolError);
    }
    assert.throws(() => decodeAnswer(lines.slice(1).join('')), /wrote 2 records, 1 arrived/);
    assert.throws(() => decodeAnswer(lines.reverse().join('')), ProtocolError);
  });

  it('turns any bytes into a string and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = fromBuffer(bytes);
        assert.deepEqual(new Uint8Array(toBuffer(text)), bytes);
        assert.deepEqual(JSON.parse(JSON.stringify(text)), text);
        assert.match(percentEncode(text), /^([A-Za-z0-9/._~-]|%[0-9A-F]{2})*$/);
      }),
    );
  });

  it('leaves valid text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(fromBuffer(Buffer.from(text)), text);
      }),
    );
  });

  it('builds command lines', () => {
    assert.deepEqual(agentArgs.observe({ root: ['/a b', '/ü'], names: ['k3s', 'kubelet'] }), [
      'observe',
      ...['--root', '/a%20b', '--root', '/%C3%BC', '--names', 'k3s,kubelet'],
    ]);
    assert.deepEqual(agentArgs.cover({ at: 7, root: '/r', undo: true }), [
      'cover',
      '--at',
      '7',
      '--root',
      '/r',
      '--undo',
    ]);
    assert.deepEqual(agentArgs.cover({ at: 7, root: '/r', undo: false }), [
      'cover',
      '--at',
      '7',
      '--root',
      '/r',
    ]);
  });
});
