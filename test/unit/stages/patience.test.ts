import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AgentError, BrokenError } from '../../../src/protocol/answers.ts';
import { mendingPatiently, telling } from '../../../src/stages/patience.ts';

const signal = new AbortController().signal;
const refusal = new AgentError({ kind: 'error', code: 'hung', what: 'x', path: null, errno: null });

describe('patience with a connection', () => {
  it('tells a connection that broke from an agent that said no', async () => {
    await assert.rejects(telling(Promise.reject(new Error('dialing backend: refused')), signal), BrokenError);
    await assert.rejects(telling(Promise.reject(refusal), signal), refusal);
    const interrupted = AbortSignal.abort(new Error('interrupted'));
    await assert.rejects(telling(Promise.reject(new Error('closed')), interrupted), /interrupted/);
  });

  it('looks again until the node can be asked', async () => {
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks < 3) throw new Error('dialing backend: refused');
      return 'seen';
    };
    assert.equal(await mendingPatiently(look, signal), 'seen');
    assert.equal(looks, 3);
  });

  it('has an end, and takes a no for an answer', async () => {
    const silent = async () => Promise.reject(new Error('refused'));
    await assert.rejects(mendingPatiently(silent, signal, 0), BrokenError);
    await assert.rejects(
      mendingPatiently(async () => Promise.reject(refusal), signal),
      refusal,
    );
  });
});
