import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAnswer } from '../../src/protocol/answers.ts';
import { type AgentRecord, agentArgs, decodeAnswer } from '../../src/protocol/protocol.gen.ts';
import { VolumeNode } from './node.ts';
import { type Background, describeAgents } from './sandbox.ts';

const MAX_LINE = 1 << 16;
const MAX_WORDS = 1 << 10;
const isEnd = (line: string) => line.includes('"kind":"end"');

describeAgents('agent serve', (agent, sandbox) => {
  const read = agentArgs.journalRead({ run: 'none' }).join(' ');
  const observe = agentArgs.observe().join(' ');

  /** The text of each answer, up to its end. */
  const answersIn = (lines: readonly string[]) => {
    const answers: string[][] = [[]];
    for (const line of lines) {
      answers.at(-1)?.push(line);
      if (isEnd(line)) answers.push([]);
    }
    assert.deepEqual(answers.pop(), []);
    return answers.map((answer) => answer.join('\n'));
  };
  const kindsOf = (answer: string) => decodeAnswer(answer).records.map(({ kind }) => kind);
  const codeOf = (answer: string | undefined) => {
    const { ok, records } = decodeAnswer(String(answer));
    const error = records.find((record) => record.kind === 'error');
    return [ok, error?.code];
  };
  /** What a whole conversation brings. */
  const say = async (input: string) => {
    const { code, stdout, stderr } = await sandbox().run([agent(), ...agentArgs.serve()], { input });
    assert.equal(stderr, '');
    return { code, answers: answersIn(stdout.split('\n').filter((line) => line !== '')) };
  };
  const start = () => sandbox().start([agent(), ...agentArgs.serve()], null);
  const childOf = async (pid: number) => {
    const { stdout } = await sandbox().run(['cat', `/proc/${pid}/task/${pid}/children`]);
    return Number(stdout.trim());
  };

  it('answers one command after the other, as each would be alone, and goes on after one that is refused', async () => {
    const alone = await sandbox().run([agent(), ...agentArgs.observe()]);
    const { code, answers } = await say([observe, 'hold --seconds 0', 'no-such', '', observe, ''].join('\n'));
    assert.equal(code, 0);
    assert.equal(answers.length, 5);
    const [first, refused, unknown, empty, last] = answers;
    for (const answer of [first, last]) {
      assert.deepEqual(kindsOf(String(answer)), kindsOf(alone.stdout));
      assert.equal(codeOf(answer)[0], true);
    }
    for (const answer of [refused, unknown, empty]) assert.deepEqual(codeOf(answer), [false, 'usage']);
  });

  it('answers while the stream is open', async () => {
    const session = await start();
    for (let count = 1; count <= 3; count++) {
      session.child.stdin?.write(`${read}\n`);
      await session.match(/"kind":"end"/, count);
    }
    session.child.stdin?.end();
    assert.equal(await session.closed, 0);
    assert.equal(answersIn(session.lines).length, 3);
  });

  it('says that an answer was cut off when its process is killed, and goes on', async () => {
    const session = await start();
    session.child.stdin?.write(`${agentArgs.hold({ seconds: 600 }).join(' ')}\n${observe}\n`);
    await session.match(/"kind":"hello"/);
    const child = await childOf(await session.pid());
    assert.equal((await sandbox().run(['kill', '-KILL', String(child)])).code, 0);
    await session.match(/"kind":"end"/, 2);
    session.child.stdin?.end();
    assert.equal(await session.closed, 0);
    const [killed, next, ...others] = answersIn(session.lines.filter((line) => line !== ''));
    assert.deepEqual(others, []);
    assert.throws(() => readAnswer(String(killed)), /wrote 0 records, 1 arrived/);
    assert.deepEqual(codeOf(next), [true, undefined]);
  });

  it('takes a line as long as its limit, and refuses a longer one without running the rest of it', async () => {
    const blanks = (length: number) => read.padEnd(length);
    const longest = await say(`${blanks(MAX_LINE - 1)}\n`);
    assert.deepEqual([longest.code, longest.answers.map(codeOf)], [0, [[true, undefined]]]);
    const { code, answers } = await say(`${read}\n${blanks(MAX_LINE)}${read}\n${read}\n`);
    assert.equal(code, 1);
    assert.deepEqual(answers.map(codeOf), [
      [true, undefined],
      [false, 'too-large'],
    ]);
  });

  it('refuses a line of too many words', async () => {
    const most = await say(`${'w '.repeat(MAX_WORDS)}\n`);
    assert.deepEqual([most.code, most.answers.map(codeOf)], [0, [[false, 'usage']]]);
    const { code, answers } = await say(`${'w '.repeat(MAX_WORDS + 1)}\n`);
    assert.deepEqual([code, answers.map(codeOf)], [1, [[false, 'too-large']]]);
  });

  it('ends with its input, and runs no line that was cut off', async () => {
    assert.deepEqual(await say(''), { code: 0, answers: [] });
    assert.deepEqual(await say(read), { code: 0, answers: [] });
    const { code, answers } = await say(`${read}\n${read}`);
    assert.deepEqual([code, answers.length], [0, 1]);
  });

  it('gives no command the lines that follow', async () => {
    const node = await VolumeNode.open(sandbox(), agent());
    const replace = agentArgs.replace({
      at: 1,
      root: sandbox().root,
      run: 'served',
      target: [node.target],
      device: [],
      wait: 20_000,
    });
    const { code, answers } = await say(`${replace.join(' ')}\ncommit\n${read}\n`);
    assert.equal(code, 0);
    const [replaced, commit, last] = answers;
    const released = decodeAnswer(String(replaced)).records.filter(
      (record): record is Extract<AgentRecord, { kind: 'released' }> => record.kind === 'released',
    );
    assert.deepEqual(
      released.map(({ decision, outcome }) => [decision, outcome]),
      [['look', 'restored']],
    );
    assert.deepEqual(codeOf(commit), [false, 'usage']);
    assert.equal(codeOf(last)[0], true);
  });

  describe('a command that waits for a word', () => {
    let node: VolumeNode;
    beforeEach(async () => {
      node = await VolumeNode.open(sandbox(), agent());
    });

    const replace = (id: string) => {
      const args = {
        at: 1,
        root: sandbox().root,
        run: 'served',
        target: [node.target],
        device: [],
        wait: 20_000,
      };
      return `+${id} 1 guarded ${agentArgs.replace(args).join(' ')}`;
    };
    const begin = async (id: string) => {
      const session = await start();
      session.child.stdin?.write(`${replace(id)}\n`);
      await session.match(/"kind":"guarded"/);
      return session;
    };
    const end = async (session: Background) => {
      session.child.stdin?.end();
      assert.equal(await session.closed, 0);
      return answersIn(session.lines.filter((line) => line !== ''));
    };
    const releasedIn = (answer: string | undefined) =>
      decodeAnswer(String(answer)).records.flatMap((record) =>
        record.kind === 'released' ? [[record.decision, record.outcome]] : [],
      );

    it('is answered up to there, then others are, then it brings the rest', async () => {
      const session = await begin('7');
      session.child.stdin?.write(`${read}\n`);
      await session.match(/"kind":"end"/);
      session.child.stdin?.write('=7 rollback\n');
      await session.match(/"kind":"end"/, 2);
      const between = session.lines.findIndex(isEnd);
      const opening = session.lines.filter((_, index) => index !== between);
      assert.deepEqual(releasedIn(opening.join('\n')), [['rollback', 'restored']]);
      session.child.stdin?.end();
      assert.equal(await session.closed, 0);
    });

    it('decides for itself when the connection ends', async () => {
      const session = await begin('7');
      session.child.stdin?.end();
      assert.equal(await session.closed, 0);
      const written = async () => {
        const { stdout } = await sandbox().run([agent(), ...agentArgs.journalRead({ run: 'served' })]);
        return /released.*look.*restored/.test(stdout);
      };
      for (let tries = 0; tries < 100 && !(await written()); tries++) await sleep(20);
      assert.ok(await written());
    });

    it('is answered whole at once when it is refused', async () => {
      const session = await start();
      const wrong = agentArgs.replace({
        at: 1,
        root: sandbox().root,
        run: 'served',
        target: ['/etc'],
        device: [],
      });
      session.child.stdin?.write(`+1 1 guarded ${wrong.join(' ')}\n`);
      await session.match(/"kind":"end"/);
      assert.deepEqual((await end(session)).map(codeOf), [[false, 'usage']]);
    });

    it('is told of as broken when it was killed meanwhile, and so is one that never was', async () => {
      const session = await begin('7');
      const child = await childOf(await session.pid());
      await sandbox().run(['kill', '-KILL', String(child)]);
      session.child.stdin?.write(`=7 commit\n=8 commit\n${read}\n`);
      await session.match(/"kind":"end"/, 3);
      const answers = await end(session);
      for (const answer of answers.slice(0, 1)) assert.throws(() => readAnswer(answer), /wrote 0 records/);
      assert.throws(() => readAnswer(String(answers[1])));
      assert.deepEqual(codeOf(answers[2]), [true, undefined]);
      await node.must('chattr -i "$0"', node.target);
    });
  });
});
