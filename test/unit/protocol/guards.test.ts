import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openGuards, unguardedLine } from '../../../src/protocol/guards.ts';
import type { JournalRecord } from '../../../src/protocol/protocol.gen.ts';

const target = '/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/pv/mount';
const journal = (run: string, ...lines: readonly string[]): readonly JournalRecord[] =>
  lines.map((line) => ({ kind: 'journal', run, line, complete: true }));

const begun = (at: string) => JSON.stringify({ at, repair: 'remount', subject: 'x', state: 'begun' });
const guarded = (on = true) =>
  JSON.stringify({ v: 1, kind: 'guarded', target, layers: 1, guarded: on, errno: null, fsType: 'ext4' });
const released = (on: boolean) =>
  JSON.stringify({
    v: 1,
    kind: 'released',
    target,
    decision: 'look',
    outcome: on ? 'left' : 'committed',
    layers: 1,
    device: '0:1',
    guarded: on,
    reason: null,
  });

describe('guards that the journals tell of', () => {
  it('an agent that was killed left its guard; nothing released it', () => {
    const lines = journal('a', begun('2026-01-01T00:00:00Z'), guarded());
    assert.deepEqual(openGuards(lines), [{ run: 'a', target, released: false }]);
  });

  it('a guard that came off, was never on, or was taken off later is none', () => {
    assert.deepEqual(openGuards(journal('a', guarded(), released(false))), []);
    assert.deepEqual(openGuards(journal('a', guarded(false))), []);
    assert.deepEqual(openGuards(journal('a', guarded(), released(true), unguardedLine(target, 1))), []);
  });

  it('a guard that the agent had to leave is one', () => {
    assert.deepEqual(openGuards(journal('a', guarded(), released(true))), [
      { run: 'a', target, released: true },
    ]);
  });

  it('a later run is believed, in whatever order the journals are read', () => {
    const first = journal('a', begun('2026-01-01T00:00:00Z'), guarded());
    const second = journal('b', begun('2026-01-02T00:00:00Z'), guarded(), released(false));
    assert.deepEqual(openGuards([...second, ...first]), []);
    assert.deepEqual(openGuards([...first, ...second]), []);
  });

  it('a line that was cut off tells nothing', () => {
    assert.deepEqual(openGuards(journal('a', '{"v":1,"kind":"guar', guarded())), [
      { run: 'a', target, released: false },
    ]);
  });
});
