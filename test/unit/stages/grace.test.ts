import assert from 'node:assert/strict';
import { once } from 'node:events';
import { withGrace } from '../../../src/stages/grace.ts';

describe('a signal with grace', () => {
  it('aborts later than the interrupt, for the same reason', async () => {
    const interrupt = new AbortController();
    const late = withGrace(interrupt.signal, 20);
    interrupt.abort(new Error('interrupted'));
    assert.equal(late.aborted, false);
    const alive = setTimeout(() => undefined, 5_000);
    await once(late, 'abort');
    clearTimeout(alive);
    assert.equal((late.reason as Error).message, 'interrupted');
  });

  it('gives the same to a signal that had aborted before', async () => {
    const late = withGrace(AbortSignal.abort(), 20);
    assert.equal(late.aborted, false);
    const alive = setTimeout(() => undefined, 5_000);
    await once(late, 'abort');
    clearTimeout(alive);
  });

  it('keeps no process alive', () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    withGrace(AbortSignal.abort(), 60_000);
    assert.equal(timers(), before);
  });
});
