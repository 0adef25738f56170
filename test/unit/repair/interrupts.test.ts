import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { broken, FakeNode, FakeWorld, noting, repairOf, runIn, stepOf, well } from '../support/fake-world.ts';

describe('a run that is interrupted', () => {
  let fake: FakeNode;
  let other: FakeNode;
  let world: FakeWorld;
  let interrupt: AbortController;
  beforeEach(() => {
    fake = new FakeNode('node-1', broken);
    other = new FakeNode('node-2', broken);
    world = new FakeWorld({ 'node-1': fake, 'node-2': other });
    interrupt = new AbortController();
  });

  const stop = () => interrupt.abort(new Error('interrupted'));
  const runBoth = (repair: ReturnType<typeof repairOf>) =>
    runIn(
      world,
      [stepOf('node-1', broken, [repair, repairOf('next')]), stepOf('node-2', broken, [repair])],
      [repair, repairOf('next')],
      { maxFailures: 9 },
      interrupt.signal,
    );

  it('before it began does nothing', async () => {
    stop();
    const { outcome } = await runBoth(repairOf('first'));
    assert.deepEqual(outcome, { run: 'this-run', steps: [], stopped: 'interrupted' });
    assert.deepEqual(fake.log, []);
  });

  it('in the act takes back, goes no rung higher and to no other node', async () => {
    const repair = repairOf('first', {
      act: async ({ signal }) => {
        stop();
        signal.throwIfAborted();
      },
      undo: noting(fake, 'undo', async ({ signal }) => signal.throwIfAborted()),
    });
    const { outcome } = await runBoth(repair);
    assert.equal(outcome.stopped, 'interrupted');
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['undone'],
    );
    assert.deepEqual(
      outcome.steps[0]?.attempts.map(({ repair: id }) => id),
      ['first'],
    );
    assert.ok(fake.log.includes('undo'));
    assert.deepEqual(other.log, []);
    assert.deepEqual(world.released, ['node-1']);
  });

  it('in the verify takes back', async () => {
    const repair = repairOf('first', {
      verify: async ({ signal }) => {
        setTimeout(stop, 1);
        await sleep(5_000, undefined, { signal });
        return undefined;
      },
      undo: noting(fake, 'undo', async () => undefined),
    });
    const { outcome } = await runBoth(repair);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['undone'],
    );
    assert.ok(fake.log.includes('undo'));
  });

  it('in the undo lets it end', async () => {
    const repair = repairOf('first', {
      verify: async () => 'still wrong',
      undo: async ({ signal }) => {
        stop();
        await sleep(2, undefined, { signal });
        fake.log.push('undo ended');
      },
    });
    const { outcome } = await runBoth(repair);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['undone'],
    );
    assert.ok(fake.log.includes('undo ended'));
  });

  it('after the verify has repaired, and says so', async () => {
    const repair = repairOf('first', {
      verify: async () => {
        stop();
        return undefined;
      },
    });
    const { outcome } = await runBoth(repair);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['repaired'],
    );
    assert.equal(outcome.stopped, 'interrupted');
  });

  it('by the loss of its lease leaves the node, and says so', async () => {
    const repair = repairOf('first', {
      verify: async () => {
        world.lost.abort(new Error('lease kubectl-csi-node-1 was taken by somebody'));
        fake.capture = well;
        return undefined;
      },
    });
    const steps = [stepOf('node-1', broken, [repair]), stepOf('node-1', broken, [repair])];
    const { outcome } = await runIn(world, steps, [repair]);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['repaired', 'refused'],
    );
    assert.match(outcome.steps[1]?.attempts[0]?.detail ?? '', /was taken by somebody/);
  });
});

describe('several nodes', () => {
  const fails = repairOf('first', { verify: async () => 'still wrong' });
  const names = ['node-1', 'node-2', 'node-3'];
  const worldOf = () =>
    new FakeWorld(Object.fromEntries(names.map((name) => [name, new FakeNode(name, broken)])));
  const steps = names.map((name) => stepOf(name, broken, [fails]));

  for (const [maxFailures, done] of [
    [1, 1],
    [2, 2],
    [3, 3],
    [9, 3],
  ] as const)
    it(`stop at --max-failures ${maxFailures}`, async () => {
      const { outcome } = await runIn(worldOf(), steps, [fails], { maxFailures });
      assert.equal(outcome.steps.length, done);
      assert.equal(
        outcome.stopped,
        done < 3
          ? `${maxFailures} node${maxFailures === 1 ? '' : 's'} failed (--max-failures ${maxFailures})`
          : undefined,
      );
    });

  it('count a node once, however many of its steps failed', async () => {
    const twice = [...steps.slice(0, 1), ...steps.slice(0, 1), ...steps.slice(1)];
    const { outcome } = await runIn(worldOf(), twice, [fails], { maxFailures: 2 });
    assert.equal(outcome.steps.length, 3);
  });

  it('are each healed by one at a time: who is held by another is left alone, and not a failure', async () => {
    const world = worldOf();
    world.held = { 'node-2': 'ann on laptop' };
    const helps = repairOf('first');
    const { outcome } = await runIn(world, steps, [helps]);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['repaired', 'refused', 'repaired'],
    );
    assert.equal(outcome.steps[1]?.attempts[0]?.detail, 'lease is held by ann on laptop');
    assert.deepEqual(world.released, ['node-1', 'node-3']);
  });
});
