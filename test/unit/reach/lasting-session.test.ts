import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AgentError } from '../../../src/protocol/answers.ts';
import { type FragileSession, lastingSession } from '../../../src/reach/session/lasting-session.ts';

const signal = new AbortController().signal;

/** A session in memory whose commands fail when asked to. */
class FakeSession {
  gone = false;
  failure: Error | undefined;
  readonly ran: string[] = [];
  closed = 0;

  get session(): FragileSession {
    const parts: Partial<FragileSession> = {
      run: async ([command = '']) => {
        if (this.failure) throw this.failure;
        this.ran.push(command);
        return [];
      },
      isGone: async () => this.gone,
      close: async () => {
        this.closed += 1;
        return undefined;
      },
    };
    return parts as FragileSession;
  }
}

describe('a session whose debug pod is gone', () => {
  let first: FakeSession;
  let second: FakeSession;
  let opened: number;
  beforeEach(() => {
    first = new FakeSession();
    second = new FakeSession();
    opened = 0;
  });

  const lasting = () =>
    lastingSession(first.session, async () => {
      opened += 1;
      return second.session;
    });

  it('goes on in another one; the command that broke is not sent again', async () => {
    const session = lasting();
    first.failure = new Error('the connection to the agent broke');
    first.gone = true;
    await assert.rejects(session.run(['swap'], signal), /broke/);
    await Promise.all([session.run(['observe'], signal), session.run(['mounts'], signal)]);
    assert.deepEqual(second.ran, ['observe', 'mounts']);
    assert.equal(opened, 1);
    await session.close();
    assert.deepEqual([first.closed, second.closed], [1, 1]);
  });

  it('stays where it is while the pod runs: a kubelet that restarts breaks streams only', async () => {
    const session = lasting();
    first.failure = new Error('broke');
    await assert.rejects(session.run(['swap'], signal));
    first.failure = undefined;
    await session.run(['observe'], signal);
    assert.deepEqual(first.ran, ['observe']);
    assert.equal(opened, 0);
  });

  it('asks nobody after an agent that said no', async () => {
    const session = lasting();
    first.gone = true;
    first.failure = new AgentError({ kind: 'error', code: 'alive', what: 'x', path: null, errno: null });
    await assert.rejects(session.run(['swap'], signal), first.failure);
    first.failure = undefined;
    await session.run(['observe'], signal);
    assert.equal(opened, 0);
  });
});
