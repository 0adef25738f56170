import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { BrokenError } from '../../../src/protocol/answers.ts';
import { RefusedError, type Repair } from '../../../src/repair/define-repair.ts';
import { broken, FakeNode, FakeWorld, noting, repairOf, runIn, stepOf } from '../support/fake-world.ts';

const node = 'node-1';
const breaks = async () => {
  throw new BrokenError('the connection to the agent broke during swap');
};

describe('a connection that breaks in the act', () => {
  let fake: FakeNode;
  beforeEach(() => {
    fake = new FakeNode(node, broken);
  });

  const endOf = async (...ladder: readonly Repair[]) => {
    const { outcome } = await runIn(new FakeWorld({ [node]: fake }), [stepOf(node, broken, ladder)], ladder);
    const [step] = outcome.steps;
    assert.ok(step);
    return { ...step, details: step.attempts.map(({ result, detail }) => `${result}: ${detail}`) };
  };
  const undo = () => noting(fake, 'undo', async () => undefined);

  it('is looked at again: what was done is done', async () => {
    const end = await endOf(repairOf('first', { act: breaks, verify: async () => undefined, undo: undo() }));
    assert.deepEqual(end.details, ['repaired: Title of first']);
    assert.ok(!fake.log.includes('undo'));
  });

  it('is looked at again: what was not done is taken back, and nothing riskier is tried', async () => {
    const first = repairOf('first', { act: breaks, verify: async () => 'it is dead', undo: undo() });
    const end = await endOf(first, repairOf('second'));
    assert.deepEqual(end.details, [
      'undone: the connection to the agent broke during swap; looked again: it is dead',
    ]);
    assert.ok(fake.log.includes('undo'));
  });

  it('waits for what goes on by itself, and says what it left', async () => {
    const settle = noting(fake, 'settle', async () => ['/mount: bare, write-protected']);
    const verify = noting(fake, 'verify', async () => 'it is bare');
    const end = await endOf(repairOf('first', { act: breaks, settle, verify, undo: undo() }));
    assert.equal(end.result, 'failed');
    assert.deepEqual(end.left, ['/mount: bare, write-protected']);
    const did = fake.log.filter((line) => ['settle', 'verify', 'undo'].includes(line));
    assert.deepEqual(did, ['settle', 'verify']);
  });

  it('never claims to know what it could not look at', async () => {
    const end = await endOf(repairOf('first', { act: breaks, verify: breaks }));
    assert.equal(end.result, 'failed');
    assert.match(end.details[0] ?? '', /could not be looked at again/);
    assert.match(end.left[0] ?? '', /what became of .* is not known/);
  });

  it('in the verify is looked at again as well', async () => {
    let verified = 0;
    const verify = async () => {
      verified += 1;
      return verified === 1 ? breaks() : undefined;
    };
    assert.equal((await endOf(repairOf('first', { verify }))).result, 'repaired');
  });
});

describe('a repair that finds that it must not begin', () => {
  const refuses = repairOf('first', {
    act: async () => {
      throw new RefusedError('secrets of the request cannot be known: no right to get secrets');
    },
  });

  it('is refused and not undone, and says so in the journal; the next rung has its turn', async () => {
    const fake = new FakeNode(node, broken);
    const second = repairOf('second');
    const { outcome } = await runIn(
      new FakeWorld({ [node]: fake }),
      [stepOf(node, broken, [refuses, second])],
      [refuses, second],
    );
    assert.deepEqual(
      outcome.steps[0]?.attempts.map(({ result }) => result),
      ['refused', 'repaired'],
    );
    assert.deepEqual(fake.journal.slice(0, 2), ['journal first begun', 'journal first refused']);
  });
});
