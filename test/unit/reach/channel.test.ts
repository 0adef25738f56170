import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'mocha';
import type { ExecStatus, ExecStream } from '../../../src/cluster/http/exec.ts';
import { Channels } from '../../../src/reach/session/channel.ts';

const signal = new AbortController().signal;
const end = (records: number, ok = true) => JSON.stringify({ v: 1, kind: 'end', ok, records });
const guarded = JSON.stringify({
  v: 1,
  kind: 'guarded',
  target: '/t',
  layers: 1,
  guarded: true,
  errno: null,
  fsType: 'ext4',
});
const refusal = JSON.stringify({
  v: 1,
  kind: 'error',
  code: 'alive',
  errno: null,
  what: 'it answers',
  path: '/t',
});

/** An agent in memory that answers lines; what it is told comes in `heard`. */
class FakeAgent {
  readonly heard: string[] = [];
  opened = 0;
  answer: (line: string) => readonly string[] | 'break' = () => [end(0)];

  open = async (): Promise<ExecStream> => {
    this.opened += 1;
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    let over: (status: ExecStatus) => void = () => undefined;
    const status = new Promise<ExecStatus>((resolve) => {
      over = resolve;
    });
    const close = () => {
      stdout.end();
      over({ exitCode: null, message: 'the connection was closed' });
    };
    stdin.on('data', (chunk) => {
      const line = String(chunk).trim();
      this.heard.push(line);
      const lines = this.answer(line);
      if (lines === 'break') close();
      else stdout.write(lines.map((each) => `${each}\n`).join(''));
    });
    return { stdin, stdout, stderr: new PassThrough(), status, halfClose: true, close };
  };
}

describe('the channels to an agent', () => {
  let agent: FakeAgent;
  let channels: Channels;
  beforeEach(() => {
    agent = new FakeAgent();
    channels = new Channels(agent.open);
  });
  const waits = { kind: 'guarded', count: 1 } as const;
  const converse = () => channels.converse(['replace', '--at', '1'], waits, signal);

  it('use an idle connection again, and no more than a few while all are busy', async () => {
    await channels.ask(['observe'], signal);
    await channels.ask(['mounts'], signal);
    assert.equal(agent.opened, 1);
    await Promise.all(Array.from({ length: 20 }, () => channels.ask(['mounts'], signal)));
    assert.ok(agent.opened <= 6, `${agent.opened}`);
    assert.equal(agent.heard.length, 22);
  });

  it('answer others while a command waits for its word, on the same connection', async () => {
    agent.answer = (line) => (line.startsWith('+') ? [guarded] : line.startsWith('=') ? [end(1)] : [end(0)]);
    const conversation = await converse();
    assert.deepEqual(
      conversation.opening.map(({ kind }) => kind),
      ['guarded'],
    );
    await channels.ask(['mounts'], signal);
    await conversation.say('commit');
    conversation.close();
    assert.deepEqual(agent.heard, ['+1 1 guarded replace --at 1', 'mounts', '=1 commit']);
    assert.equal(agent.opened, 1);
  });

  it('tell a command that nobody told anything to look for itself', async () => {
    agent.answer = (line) => (line.startsWith('+') ? [guarded] : [end(line.startsWith('=') ? 1 : 0)]);
    (await converse()).close();
    await channels.ask(['mounts'], signal);
    assert.ok(agent.heard.includes('=1 look'));
  });

  it('pass on a refusal', async () => {
    agent.answer = () => [refusal, end(1, false)];
    await assert.rejects(converse(), /it answers/);
  });

  it('that break are not used again; what waits on them fails', async () => {
    agent.answer = (line) => (line.startsWith('+') ? [guarded] : 'break');
    const conversation = await converse();
    await assert.rejects(
      channels.ask(['swap', '--at', '1'], signal),
      /the connection to the agent broke during swap: the connection was closed/,
    );
    await assert.rejects(conversation.say('commit'), /broke/);
    agent.answer = () => [end(0)];
    await channels.ask(['observe'], signal);
    assert.equal(agent.opened, 2);
  });

  it('are left by what is aborted', async () => {
    const abort = new AbortController();
    agent.answer = () => [];
    const asking = channels.ask(['mounts'], abort.signal);
    setTimeout(() => abort.abort(new Error('interrupted')), 5);
    await assert.rejects(asking, /interrupted/);
  });
});
