import assert from 'node:assert/strict';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  agentArgs,
  decodeAnswer,
  decodeRecord,
  type GuardedRecord,
  type ReleasedRecord,
} from '../../src/protocol/protocol.gen.ts';
import { seenOn, VolumeNode } from './node.ts';
import { type Background, describeAgents, recordOf } from './sandbox.ts';

const RUN = 'run-1';

describeAgents('agent replace', (agent, sandbox) => {
  let node: VolumeNode;
  let daemon: Background;
  let device: string;

  beforeEach(async () => {
    node = await VolumeNode.open(sandbox(), agent());
    daemon = await node.publish();
    await node.must('echo one > "$0/f"', node.target);
    device = await node.device(node.target);
  });
  afterEach(async () => {
    // An immutable directory could not be removed with the sandbox.
    for (const path of [node.target, node.staging]) {
      await node.must(
        'umount -ql "$0" || true; umount -ql "$0" || true; [ ! -e "$0" ] || chattr -i "$0"',
        path,
      );
    }
  });

  const args = (options = {}) =>
    agentArgs.replace({
      at: 1,
      root: sandbox().root,
      run: RUN,
      target: [node.target, node.staging],
      device: [device],
      ...options,
    });
  const begin = async (options = {}) => {
    const session = await node.sandbox.start([agent(), ...args(options)], null);
    await session.match(/"kind":"guarded"/, 2);
    return session;
  };
  const recordsOf = async <K extends 'guarded' | 'released'>(session: Background, kind: K) => {
    const found = session.lines.map((line) => decodeRecord(line)).filter((record) => record.kind === kind);
    return found as (K extends 'guarded' ? GuardedRecord : ReleasedRecord)[];
  };
  /** Says a line, or nothing, and waits for the end. */
  const finish = async (session: Background, line?: string) => {
    session.child.stdin?.end(line === undefined ? '' : `${line}\n`);
    assert.equal(await session.closed, 0);
    return recordsOf(session, 'released');
  };
  const layers = async () => [
    (await node.mounts(node.target)).length,
    (await node.mounts(node.staging)).length,
  ];
  const journal = async () => {
    const answer = await node.run(agentArgs.journalRead({ run: RUN }));
    return answer.records.filter((record) => record.kind === 'journal').map(({ line }) => decodeRecord(line));
  };
  const immutable = async () => [await node.immutable(node.target), await node.immutable(node.staging)];

  it('makes the targets bare and guarded, and lets the old mounts go when the driver has published', async () => {
    await node.kill(daemon);
    const session = await begin();
    const guarded = await recordsOf(session, 'guarded');
    assert.deepEqual(
      guarded.map(({ target, layers: taken, guarded: on, errno, fsType }) => [
        target,
        taken,
        on,
        errno,
        fsType,
      ]),
      [
        [node.target, 1, true, null, guarded[0]?.fsType],
        [node.staging, 1, true, null, guarded[1]?.fsType],
      ],
    );
    assert.deepEqual(await layers(), [0, 0]);
    assert.deepEqual(await immutable(), [true, true]);
    const bare = await node.container('mkdir /run/app; mount --bind "$0" /run/app');
    const { code } = await bare.run('echo lost > /run/app/f');
    assert.notEqual(code, 0);
    await node.publish();
    const released = await finish(session, 'commit');
    assert.deepEqual(
      released.map(({ decision, outcome, layers: left, guarded: on, reason }) => [
        decision,
        outcome,
        left,
        on,
        reason,
      ]),
      [
        ['commit', 'committed', 1, false, null],
        ['commit', 'committed', 1, false, null],
      ],
    );
    assert.equal(released[0]?.device, await node.device(node.target));
    assert.equal(await node.must('cat "$0/f"', node.target), 'one');
    assert.deepEqual(
      (await journal()).map(({ kind }) => kind),
      ['guarded', 'guarded', 'released', 'released'],
    );
    await node.must('umount "$0"; umount "$1"', node.target, node.staging);
    assert.deepEqual(await immutable(), [false, false]);
    await rmdir(node.target);
  });

  for (const [what, line] of [
    ['a rollback', 'rollback'],
    ['the end of the stream', undefined],
    ['a word it does not know', 'perhaps'],
    ['a commit although nothing was published', 'commit'],
  ] as const) {
    it(`puts the old mounts back after ${what}`, async () => {
      await node.kill(daemon);
      const before = await node.mounts(node.target);
      const released = await finish(await begin(), line);
      assert.deepEqual(
        released.map(({ outcome, guarded }) => [outcome, guarded]),
        [
          ['restored', false],
          ['restored', false],
        ],
      );
      const after = await node.mounts(node.target);
      assert.deepEqual(
        after.map(({ device: number, root, options }) => [number, root, options]),
        before.map(({ device: number, root, options }) => [number, root, options]),
      );
      assert.deepEqual(await layers(), [1, 1]);
      assert.equal(seenOn(await node.look(), node.target)[0]?.state, 'dead');
      await node.must('umount -l "$0"; umount -l "$1"', node.target, node.staging);
      assert.deepEqual(await immutable(), [false, false]);
    });
  }

  it('looks for itself when the stream ends after the driver has published', async () => {
    await node.kill(daemon);
    const session = await begin();
    await node.publish();
    const released = await finish(session);
    assert.deepEqual(
      released.map(({ decision, outcome }) => [decision, outcome]),
      [
        ['look', 'committed'],
        ['look', 'committed'],
      ],
    );
  });

  it('does not wait for ever, and settles each target for itself', async () => {
    await node.kill(daemon);
    const session = await begin({ wait: 3_000 });
    await node.serve(node.staging);
    assert.equal(await session.closed, 0);
    const released = await recordsOf(session, 'released');
    assert.deepEqual(
      released.map(({ outcome }) => outcome),
      ['restored', 'committed'],
    );
  });

  it('never takes a living mount off in a rollback', async () => {
    await node.kill(daemon);
    const session = await begin();
    await node.serve(node.staging);
    const released = await finish(session, 'rollback');
    assert.deepEqual(
      released.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['restored', null],
        ['left', 'a mount that answers is on it'],
      ],
    );
    assert.equal(await node.must('cat "$0/f"', node.staging), 'one');
  });

  it('drops a mount that died meanwhile, and keeps every layer', async () => {
    await node.kill(daemon);
    await node.must('mount --bind "$0" "$1"', node.staging, node.target);
    const before = await layers();
    assert.equal(before[0], 2);
    const session = await begin();
    const second = await node.publish();
    await node.kill(second);
    await finish(session, 'commit');
    assert.deepEqual(await layers(), before);
    assert.equal(await node.device(node.target), device);
  });

  it('goes on without the agent that reads the word', async () => {
    await node.kill(daemon);
    const session = await begin();
    await node.publish();
    await node.must('kill -KILL "$0"', String(await session.pid()));
    for (let tries = 0; tries < 100 && (await journal()).length < 4; tries++) await sleep(20);
    assert.deepEqual(
      (await journal()).slice(2).map((record) => record.kind === 'released' && record.outcome),
      ['committed', 'committed'],
    );
    await node.must('umount "$0"; umount "$1"', node.target, node.staging);
    assert.deepEqual(await immutable(), [false, false]);
  });

  it('only guards a target that is bare already', async () => {
    await node.kill(daemon);
    await node.must('umount -l "$0"; umount -l "$1"', node.target, node.staging);
    await writeFile(join(node.target, 'stray'), 'kept');
    const session = await begin();
    assert.deepEqual(
      (await recordsOf(session, 'guarded')).map(({ layers: taken, guarded }) => [taken, guarded]),
      [
        [0, true],
        [0, true],
      ],
    );
    assert.deepEqual(
      (await finish(session, 'rollback')).map(({ outcome, guarded }) => [outcome, guarded]),
      [
        ['restored', false],
        ['restored', false],
      ],
    );
    assert.equal(await node.must('cat "$0/stray"', node.target), 'kept');
  });

  const unmountAll = () => node.must('umount -l "$0"; umount -l "$1"', node.target, node.staging);
  const guards = (released: readonly ReleasedRecord[]) =>
    released.map(({ outcome, guarded }) => [outcome, guarded]);

  for (const [what, line, wait] of [
    ['a rollback', 'rollback', 20_000],
    ['the end of the stream', undefined, 20_000],
    ['a commit although nothing was published', 'commit', 20_000],
    ['the deadline', null, 300],
  ] as const) {
    it(`leaves a bare target guarded that it found so, after ${what}`, async () => {
      await node.kill(daemon);
      await unmountAll();
      await node.must('chattr +i "$0"', node.target);
      const session = await begin({ wait });
      if (line === null) await session.closed;
      const released = line === null ? await recordsOf(session, 'released') : await finish(session, line);
      assert.deepEqual(guards(released), [
        ['restored', true],
        ['restored', false],
      ]);
      assert.deepEqual(await immutable(), [true, false]);
    });
  }

  it('takes the guard that it found off once something living is on the target', async () => {
    await node.kill(daemon);
    await unmountAll();
    await node.must('chattr +i "$0"', node.target);
    const session = await begin();
    await node.publish();
    assert.deepEqual(guards(await finish(session, 'commit')), [
      ['committed', false],
      ['committed', false],
    ]);
    await unmountAll();
    assert.deepEqual(await immutable(), [false, false]);
  });

  it('says that a guard is on which it was told not to set', async () => {
    await node.kill(daemon);
    await unmountAll();
    await node.must('chattr +i "$0"', node.target);
    assert.deepEqual(guards(await finish(await begin({ noGuard: true }), 'rollback')), [
      ['restored', true],
      ['restored', false],
    ]);
    assert.deepEqual(await immutable(), [true, false]);
  });

  it('keeps the guard on a target that it made bare and cannot put back', async () => {
    await node.kill(daemon);
    const session = await begin();
    await node.must('umount -l "$0"', sandbox().root); // nothing can be mounted in a mount that was detached
    assert.deepEqual(guards(await finish(session, 'rollback')), [
      ['left', true],
      ['left', true],
    ]);
    assert.deepEqual(await immutable(), [true, true]);
  });

  it('keeps the guard beneath a mount that does not answer', async () => {
    await node.kill(daemon);
    const session = await begin({ deadline: 1_000 });
    const hung = await node.serve(node.target);
    await node.must('kill -STOP "$0"', String(await hung.pid()));
    assert.deepEqual(guards(await finish(session, 'commit')), [
      ['left', true],
      ['restored', false],
    ]);
    await node.kill(hung);
    await node.must('umount -l "$0"', node.target);
    assert.equal(await node.immutable(node.target), true);
  });

  it('goes without the guard where the file system has none, or when told to', async () => {
    await node.kill(daemon);
    const session = await begin({ noGuard: true });
    assert.deepEqual(await immutable(), [false, false]);
    await finish(session, 'rollback');
    await node.must('umount -l "$0"; umount -l "$1"', node.target, node.staging);
    await node.must('mount -t ramfs ram "$0" && mkdir "$0/mount"', dirname(node.target));
    const answer = await node.run(args({ target: [node.target] }));
    const { guarded, errno, fsType } = recordOf(answer, 'guarded');
    assert.deepEqual([guarded, errno, fsType], [false, 'ENOTTY', 'ramfs']);
    await node.must('umount "$0"', dirname(node.target));
  });

  it('says that it lacks the capability for the guard, and goes on', async () => {
    await node.kill(daemon);
    const capabilities = ['sys_admin', 'sys_chroot', 'sys_ptrace'];
    const answer = await node.runWith(capabilities, args({ target: [node.target] }));
    const { guarded, errno } = recordOf(answer, 'guarded');
    assert.deepEqual([guarded, errno, recordOf(answer, 'released').outcome], [false, 'EPERM', 'restored']);
  });

  it('guards a bare target for which no device is named', async () => {
    await node.kill(daemon);
    const target = [node.target];
    assert.equal((await node.run(args({ target, device: [] }))).error?.code, 'mounted');
    await node.must('umount -l "$0"', node.target);
    const answer = await node.run(args({ target, device: [] }));
    assert.equal(recordOf(answer, 'guarded').guarded, true);
    assert.equal(recordOf(answer, 'released').guarded, false);
  });

  it('refuses all of it when one target answers, is of another device, or is no target', async () => {
    const refused = async (options: object, code: string) => {
      const before = await layers();
      const answer = await node.run(args(options));
      assert.equal(answer.error?.code, code);
      assert.deepEqual(await layers(), before);
    };
    await refused({}, 'alive');
    await node.kill(daemon);
    await refused({ device: ['0:1'] }, 'mounted');
    await refused({ target: [sandbox().registry] }, 'usage');
    await refused({ target: ['/etc'] }, 'usage');
    await mkdir(node.path('fresh'));
    const living = await node.serve(node.path('fresh'));
    await node.must('mount --bind "$0" "$1"', node.path('fresh'), node.target);
    await refused(
      { target: [node.staging, node.target], device: [device, await node.device(node.target)] },
      'alive',
    );
    await node.kill(living);
    await refused({ target: [node.staging, node.target] }, 'mounted');
    await node.must('umount -l "$0"; umount -l "$0"; umount -l "$1"', node.target, node.staging);
    assert.deepEqual(await immutable(), [false, false]);
  });

  it('refuses a hung mount in time', async () => {
    await node.must('kill -STOP "$0"', String(await daemon.pid()));
    const answer = await node.run(args({ deadline: 100 }));
    assert.equal(answer.error?.code, 'hung');
    assert.deepEqual(await layers(), [1, 1]);
    await node.must('kill -CONT "$0"', String(await daemon.pid()));
  });

  for (const point of ['guarded', 'detached', 'decided'] as const) {
    it(`leaves what a second run and unguard can mend when it is killed (${point})`, async function () {
      if (!agent().endsWith('sanitized')) return;
      this.timeout(20_000);
      await node.kill(daemon);
      const env = { AGENT_CRASH_AT: point };
      const { stdout } = await node.sandbox.run([agent(), ...args()], { env });
      assert.throws(() => decodeAnswer(stdout));
      const session = await begin();
      await node.publish();
      const released = await finish(session, 'commit');
      assert.deepEqual(
        released.map(({ outcome }) => outcome),
        ['committed', 'committed'],
      );
      for (const target of [node.target, node.staging]) {
        const unguard = agentArgs.unguard({ at: 1, root: sandbox().root, target });
        const { layers: on } = recordOf(await node.run(unguard), 'unguarded');
        assert.equal(on, 1);
      }
      await node.must('umount "$0"; umount "$1"', node.target, node.staging);
      assert.deepEqual(await immutable(), [false, false]);
    });
  }

  it('takes a left-over guard off, also beneath a mount, and nowhere else', async () => {
    const unguard = (target: string) => node.run(agentArgs.unguard({ at: 1, root: sandbox().root, target }));
    await node.must('umount "$0" && chattr +i "$0" && mount --bind "$1" "$0"', node.target, node.staging);
    const first = recordOf(await unguard(node.target), 'unguarded');
    assert.deepEqual([first.changed, first.layers], [true, 1]);
    assert.equal(recordOf(await unguard(node.target), 'unguarded').changed, false);
    assert.equal((await unguard(sandbox().registry)).error?.code, 'usage');
    await node.must('umount "$0"', node.target);
    assert.equal(await node.immutable(node.target), false);
  });
});
