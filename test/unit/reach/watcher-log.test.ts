import assert from 'node:assert/strict';
import { seen, unseen } from '../../../src/model/observed.ts';
import type { AgentRecord, LogCountsRecord } from '../../../src/protocol/protocol.gen.ts';
import { watcherLogOf } from '../../../src/reach/evidence/watcher-log.ts';

const counts = (change: Partial<LogCountsRecord> = {}): AgentRecord => ({
  kind: 'logCounts',
  source: 'file',
  path: '/var/log/kubelet.log',
  scanned: 4711,
  truncated: false,
  ...change,
});

const line = (text: string, at: number | null = null): AgentRecord => ({ kind: 'logLine', line: text, at });

describe("kubelet's log as evidence", () => {
  it('keeps the lines in their order, with their time where there is one', () => {
    const log = watcherLogOf([line('first', 1796060529), line('second'), counts()]);
    assert.deepEqual(log, seen([{ text: 'first', at: '2026-11-30T17:42:09.000Z' }, { text: 'second' }]));
  });

  it('shows bytes that are no text as such', () => {
    assert.deepEqual(watcherLogOf([line('a\udcffb'), counts()]), seen([{ text: 'a\ufffdb' }]));
  });

  it('is seen, and empty, where the whole log was read', () => {
    assert.deepEqual(watcherLogOf([counts()]), seen([]));
  });

  it('is unseen where older lines are gone and no line was found', () => {
    assert.deepEqual(
      watcherLogOf([counts({ truncated: true })]),
      unseen("kubelet's log at /var/log/kubelet.log begins later than kubelet was started"),
    );
    assert.deepEqual(
      watcherLogOf([counts({ source: 'journal', path: null, truncated: true })]),
      unseen("kubelet's log in the journal begins later than kubelet was started"),
    );
  });

  it('is seen where older lines are gone and a line was found', () => {
    assert.deepEqual(watcherLogOf([line('found'), counts({ truncated: true })]), seen([{ text: 'found' }]));
  });

  it('needs the record that says what was read', () => {
    assert.throws(() => watcherLogOf([line('found')]), /no logCounts record/);
  });
});
