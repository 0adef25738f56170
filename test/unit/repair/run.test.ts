import assert from 'node:assert/strict';
import type { Repair } from '../../../src/repair/define-repair.ts';
import { captured } from '../support/captures.ts';
import { broken, FakeNode, FakeWorld, noting, repairOf, runIn, stepOf, well } from '../support/fake-world.ts';

const node = 'node-1';

describe('the repair runner', () => {
  let fake: FakeNode;
  let world: FakeWorld;
  beforeEach(() => {
    fake = new FakeNode(node, broken);
    world = new FakeWorld({ [node]: fake });
  });

  const run = (ladder: readonly Repair[], signal?: AbortSignal) =>
    runIn(world, [stepOf(node, broken, ladder)], ladder, {}, signal);
  const helps = (id: string) =>
    repairOf(id, {
      act: noting(fake, `act ${id}`, async () => {
        fake.capture = well;
      }),
      verify: noting(fake, `verify ${id}`, async () => undefined),
    });
  const failsToHelp = (id: string) =>
    repairOf(id, {
      act: noting(fake, `act ${id}`, async () => undefined),
      verify: noting(fake, `verify ${id}`, async () => 'it is still wrong'),
      undo: noting(fake, `undo ${id}`, async () => undefined),
    });
  const results = ({ outcome }: Awaited<ReturnType<typeof run>>) =>
    outcome.steps.flatMap(({ attempts }) => attempts.map(({ repair, result }) => `${repair} ${result}`));

  it('stops at the first repair that is verified', async () => {
    const told = await run([helps('first'), helps('second')]);
    assert.deepEqual(results(told), ['first repaired']);
    assert.equal(told.outcome.steps[0]?.result, 'repaired');
    assert.deepEqual(told.progress, ['does first']);
  });

  it('climbs after a verify that failed, and only after the undo', async () => {
    const told = await run([failsToHelp('first'), helps('second')]);
    assert.deepEqual(results(told), ['first undone', 'second repaired']);
    assert.deepEqual(
      fake.log.filter((line) => !line.startsWith('journal')),
      [
        'act first',
        'verify first',
        'undo first',
        'act second',
        'verify second',
        'journal-clear --run this-run',
      ].slice(0, 5),
    );
    assert.equal(told.outcome.steps[0]?.result, 'repaired');
  });

  it('writes the journal before it acts and after it knows', async () => {
    await run([failsToHelp('first'), helps('second')]);
    const order = fake.log.filter((line) => /^(journal |act |undo |verify )/.test(line));
    assert.deepEqual(order, [
      'journal first begun',
      'act first',
      'verify first',
      'undo first',
      'journal first undone',
      'journal second begun',
      'act second',
      'verify second',
      'journal second repaired',
    ]);
  });

  it('does nothing where the journal cannot be written', async () => {
    fake.answer = ([command]) => {
      if (command === 'journal-append') throw new Error('disk full');
      return undefined;
    };
    const told = await run([helps('first')]);
    assert.deepEqual(results(told), ['first refused']);
    assert.equal(told.outcome.steps[0]?.attempts[0]?.detail, 'disk full');
    assert.ok(!fake.log.includes('act first'));
  });

  it('does not take back what was verified, because the journal could not say so', async () => {
    fake.answer = ([command, ...args]) => {
      if (command === 'journal-append' && args.join().includes('"repaired"')) throw new Error('disk full');
      return undefined;
    };
    const told = await run([{ ...helps('first'), undo: noting(fake, 'undo first', async () => undefined) }]);
    assert.deepEqual(results(told), ['first repaired']);
    assert.ok(!fake.log.includes('undo first'));
  });

  it('calls undone what was undone, though the journal could not say so', async () => {
    fake.answer = ([command, ...args]) => {
      if (command === 'journal-append' && args.join().includes('"undone"')) throw new Error('disk full');
      return undefined;
    };
    const { outcome } = await run([failsToHelp('first')]);
    assert.equal(outcome.steps[0]?.result, 'undone');
    assert.deepEqual(outcome.steps[0]?.left, []);
  });

  it('is done where all is well by then, and touches nothing', async () => {
    fake.capture = well;
    const told = await run([helps('first'), helps('second')]);
    assert.deepEqual(results(told), ['first gone']);
    assert.deepEqual(
      fake.log.filter((line) => /^(act|journal )/.test(line)),
      [],
    );
    assert.deepEqual(world.events, []);
  });

  it('is done where a failed repair helped late', async () => {
    const late = repairOf('first', {
      verify: async () => {
        fake.capture = well;
        return 'not yet';
      },
    });
    assert.deepEqual(results(await run([late, helps('second')])), ['first undone', 'second gone']);
  });

  it('asks the bars again with what is seen at that moment', async () => {
    const seen: string[] = [];
    const picky = repairOf('first', {
      bars: (_unit, view) => {
        seen.push(view.evidence.seen ? 'seen' : 'unseen');
        return 'not any more';
      },
    });
    const told = await run([picky, helps('second')]);
    assert.deepEqual(seen, ['seen']);
    assert.deepEqual(results(told), ['first refused', 'second repaired']);
    assert.equal(told.outcome.steps[0]?.attempts[0]?.detail, 'not any more');
  });

  it('refuses a repair whose reason is another by now', async () => {
    fake.capture = captured('orphaned-watch');
    const onlyUnknown = repairOf('first', {
      cures: [{ rule: 'registration-lost', reasons: ['unknown'] }],
    });
    const { outcome } = await run([onlyUnknown]);
    assert.equal(outcome.steps[0]?.result, 'refused');
    assert.match(outcome.steps[0]?.attempts[0]?.detail ?? '', /the reason is another by now: orphaned-watch/);
  });

  it('leaves out barred rungs, and says why where no other is there', async () => {
    const step = stepOf(node, broken, [helps('first')]);
    const barred = { ...step, rungs: step.rungs.map((rung) => ({ ...rung, barred: 'needs --force' })) };
    const { outcome } = await runIn(world, [barred], [helps('first')]);
    assert.equal(outcome.steps[0]?.result, 'refused');
    assert.equal(outcome.steps[0]?.attempts[0]?.detail, 'needs --force');
  });

  it('undoes what failed in the middle of its act', async () => {
    const half = repairOf('first', {
      act: async () => {
        throw new Error('the agent died');
      },
      undo: noting(fake, 'undo first', async () => undefined),
    });
    const { outcome } = await run([half]);
    assert.equal(outcome.steps[0]?.result, 'undone');
    assert.equal(outcome.steps[0]?.attempts[0]?.detail, 'the agent died');
    assert.ok(fake.log.includes('undo first'));
  });

  it('stops at an undo that failed, says what is left, and keeps the journal', async () => {
    const stuck = repairOf('first', {
      verify: async () => 'still wrong',
      undo: async () => {
        throw new Error('device busy');
      },
    });
    const told = await run([stuck, helps('second')]);
    assert.deepEqual(results(told), ['first failed']);
    assert.equal(told.outcome.steps[0]?.result, 'failed');
    assert.deepEqual(told.outcome.steps[0]?.left, ['first on node-1 could not be taken back: device busy']);
    assert.deepEqual(fake.journal.at(-1), 'journal first failed');
    assert.ok(!fake.log.some((line) => line.startsWith('journal-clear')));
  });

  it('clears its journal when nothing is left, and gives the lease back', async () => {
    await run([helps('first')]);
    assert.match(fake.log.at(-1) ?? '', /^journal-clear .*this-run/);
    assert.deepEqual(world.released, [node]);
  });

  it('refuses where the node cannot be looked at, and tries nothing riskier in the dark', async () => {
    let looks = 0;
    const port = fake.port;
    const observe = async () => {
      looks += 1;
      if (looks === 1) throw new Error('stream reset');
      return port.observe();
    };
    const admit = async () => ({
      port: { ...port, observe },
      signal: new AbortController().signal,
      release: async () => undefined,
    });
    const ladder = [helps('first'), helps('second')];
    const { outcome } = await runIn(
      { ...world, admit, record: async () => undefined },
      [stepOf(node, broken, ladder)],
      ladder,
    );
    assert.deepEqual(
      outcome.steps[0]?.attempts.map(({ result }) => result),
      ['refused'],
    );
  });

  describe('events', () => {
    it('tell what was repaired', async () => {
      await run([helps('first')]);
      assert.equal(world.events.length, 1);
      assert.equal(world.events[0]?.type, 'Normal');
      assert.match(world.events[0]?.message ?? '', /^repaired by first; it was: .*is not registered/);
    });
    it('tell what failed and was undone', async () => {
      await run([failsToHelp('first')]);
      assert.equal(world.events[0]?.type, 'Warning');
      assert.match(world.events[0]?.message ?? '', /it is still wrong/);
    });
    it('are silent about refusals', async () => {
      await run([repairOf('first', { bars: () => 'no' })]);
      assert.deepEqual(world.events, []);
    });
  });

  describe('an earlier run that was interrupted', () => {
    const line = (state: string) =>
      JSON.stringify({ at: '2026-01-02T03:04:05Z', repair: 'announce', subject: 'x', state });

    it('is told of, and its journal is cleared', async () => {
      fake.leftover = [{ run: 'old', line: line('begun') }];
      const { notes } = await run([helps('first')]);
      assert.match(notes[0] ?? '', /run old was interrupted at 2026-01-02T03:04:05Z during announce of x/);
      assert.ok(fake.log.some((each) => each.startsWith('journal-clear') && each.includes('old')));
    });
    it('is told of where the last line is the agent’s own', async () => {
      const restarted = '{"v":1,"kind":"restarted","oldPid":1,"pid":2,"startTicks":"3","waited":4}';
      fake.leftover = [
        { run: 'old', line: line('begun') },
        { run: 'old', line: restarted },
      ];
      assert.equal((await run([helps('first')])).notes.length, 1);
    });
    it('is not told of where it wrote how it ended', async () => {
      fake.leftover = [
        { run: 'old', line: line('begun') },
        { run: 'old', line: line('repaired') },
      ];
      assert.deepEqual((await run([helps('first')])).notes, []);
    });
    it('is not told of where its line was cut off', async () => {
      fake.leftover = [{ run: 'old', line: '{"at":"20' }];
      assert.deepEqual((await run([helps('first')])).notes, []);
    });
    it('is not this one', async () => {
      fake.leftover = [{ run: 'this-run', line: line('begun') }];
      assert.deepEqual((await run([helps('first')])).notes, []);
    });
    it('keeps nobody from working where the journal cannot be read', async () => {
      fake.answer = ([command]) => {
        if (command === 'journal-read') throw new Error('EIO');
        return undefined;
      };
      assert.deepEqual(results(await run([helps('first')])), ['first repaired']);
    });
  });
});
