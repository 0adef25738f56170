import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCapture, writeCapture } from '../../../src/files/capture.ts';
import { captured, changed, type Parts, seenValue } from '../support/captures.ts';

describe('a capture in a file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-capture-'));
    file = join(folder, 'x.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const faultOf = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.equal((error as Error | undefined)?.name, 'UsageError');
    const { message, next } = error as Error & { readonly next: string };
    return `${message.replaceAll(folder, '')} | ${next}`;
  };

  it('comes back as it was, and is for its owner only', async () => {
    const capture = captured('lost-event');
    await writeCapture(file, capture, false);
    assert.deepEqual(await readCapture(file), capture);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('is not written over another file without --overwrite', async () => {
    writeFileSync(file, 'mine');
    const fault = await faultOf(writeCapture(file, captured('healthy'), false));
    assert.equal(fault, '/x.json exists already | Name another file, or replace it with --overwrite.');
    await writeCapture(file, captured('healthy'), true);
    assert.equal((await readCapture(file)).kind, 'Capture');
  });

  it('into a folder that is not there says what failed', async () => {
    const fault = await faultOf(writeCapture(join(folder, 'no/x.json'), captured('healthy'), false));
    assert.match(fault, /^\/no\/x\.json cannot be written: ENOENT.*\| Name another file\.$/);
  });

  const unfit: readonly (readonly [string, string | undefined, RegExp])[] = [
    ['is not there', undefined, /cannot be read as a capture: ENOENT/],
    ['is no JSON', '{"kind"', /cannot be read as a capture: .*JSON/],
    ['is something else', '{"kind":"Pod"}', /is no capture of this version/],
    ['is null', 'null', /is no capture of this version/],
    [
      'is of another version',
      '{"apiVersion":"kubectl-csi/v2","kind":"Capture"}',
      /is no capture of this version/,
    ],
  ];
  for (const [what, text, expected] of unfit)
    it(`that ${what} is refused with what writes one`, async () => {
      if (text !== undefined) writeFileSync(file, text);
      const fault = await faultOf(readCapture(file));
      assert.match(fault, expected);
      assert.match(fault, /\| kubectl csi capture FILE writes one\.$/);
    });

  const damaged: readonly (readonly [string, (parts: Parts) => object, string])[] = [
    ['whose snapshot is null', ({ capture }) => ({ ...capture, snapshot: null }), '.snapshot'],
    [
      'without nodes',
      ({ capture, snapshot }) => ({ ...capture, snapshot: { ...snapshot, nodes: {} } }),
      '.snapshot.nodes',
    ],
    [
      'with a node that is a word',
      ({ capture, snapshot }) => ({ ...capture, snapshot: { ...snapshot, nodes: ['node-1'] } }),
      '.snapshot.nodes[0]',
    ],
    [
      'without what the API server said of drivers',
      ({ capture, snapshot: { csiDrivers: _, ...rest } }) => ({ ...capture, snapshot: rest }),
      '.snapshot.csiDrivers',
    ],
    [
      'in which nothing was seen, and it does not say why',
      ({ capture, snapshot }) => ({ ...capture, snapshot: { ...snapshot, pluginPods: { seen: false } } }),
      '.snapshot.pluginPods.why',
    ],
    ['whose evidence is no list', ({ capture }) => ({ ...capture, evidence: {} }), '.evidence'],
    ['whose evidence is of no node', ({ capture }) => ({ ...capture, evidence: [null] }), '.evidence[0]'],
    [
      'whose sockets are numbers',
      ({ capture, entry }) => {
        Object.assign(entry, { socket: 1 });
        return capture;
      },
      '.evidence[0][1].value.entries.value[0].socket',
    ],
  ];
  for (const [what, change, at] of damaged)
    it(`${what} is refused in one sentence`, async () => {
      let document: object = {};
      changed(captured('healthy'), (parts) => {
        document = change(parts);
      });
      writeFileSync(file, JSON.stringify(document));
      const fault = await faultOf(readCapture(file));
      assert.equal(
        fault,
        `/x.json is a damaged capture: ${at} is missing or of another kind | kubectl csi capture FILE writes one.`,
      );
    });

  it('of a version that did not look at something yet leaves that unseen', async () => {
    const { evidence, ...rest } = captured('healthy');
    const [visited] = evidence;
    const { mounts: _, ...older } = seenValue(visited?.[1]);
    writeFileSync(
      file,
      JSON.stringify({ ...rest, evidence: [[visited?.[0], { seen: true, value: older }]] }),
    );
    const read = seenValue((await readCapture(file)).evidence[0]?.[1]);
    assert.match(read.mounts.seen ? '' : read.mounts.why, /did not look at mounts/);
  });
});
