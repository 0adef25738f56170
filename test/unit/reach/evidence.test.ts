import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { unseen } from '../../../src/model/observed.ts';
import { readAnswer } from '../../../src/protocol/answers.ts';
import type { AgentRecord } from '../../../src/protocol/protocol.gen.ts';
import { withAnswers } from '../../../src/reach/evidence/entries.ts';
import { evidenceOf } from '../../../src/reach/evidence/evidence.ts';
import { existing, seenValue } from '../support/captures.ts';

/** What a real agent wrote on a real node; `test/fixtures/record.ts` makes it again. */
const answer = readFileSync(new URL('../../fixtures/agent/observe.jsonl', import.meta.url), 'utf8');
const records = readAnswer(answer);
const takenAt = '2026-01-02T03:04:05Z';
const evidence = evidenceOf(records, takenAt);

type Kind = AgentRecord['kind'];
type RecordOf<K extends Kind> = Extract<AgentRecord, { kind: K }>;

/** The answer with every record of a kind changed, or left out. */
const having = <K extends Kind>(kind: K, change: (record: RecordOf<K>) => readonly AgentRecord[]) =>
  evidenceOf(
    records.flatMap((record) => (record.kind === kind ? change(record as RecordOf<K>) : [record])),
    takenAt,
  );
const without = (...kinds: readonly Kind[]) =>
  evidenceOf(
    records.filter(({ kind }) => !kinds.includes(kind)),
    takenAt,
  );

describe("the agent's answer as evidence", () => {
  it('has kubelet, how it was started, and by whom', () => {
    const kubelet = seenValue(evidence.kubelet);
    assert.equal(kubelet.command, 'kubelet');
    assert.ok(kubelet.argv.includes('--root-dir=/var/lib/kubelet'));
    assert.equal(kubelet.parent.command, 'runsv');
    assert.match(kubelet.startTicks, /^\d+$/);
    assert.match(kubelet.startedAt, /^\d{4}-\d\d-\d\dT/);
  });

  it('has the root and the registry with the mount that holds them', () => {
    const registry = seenValue(evidence.registry);
    assert.equal(registry.path, '/var/lib/kubelet/plugins_registry');
    assert.equal(registry.mode, '0750');
    assert.equal(registry.mount.propagation, 'shared');
    assert.equal(seenValue(evidence.root).path, '/var/lib/kubelet');
  });

  it('has of each watch what tells where it looks', () => {
    const watches = seenValue(evidence.watches);
    const registry = seenValue(evidence.registry);
    assert.ok(watches.some(({ inode, device }) => inode === registry.inode && device === registry.device));
    assert.deepEqual(Object.keys(watches[0] ?? {}).sort(), ['device', 'inode']);
  });

  it('has the sockets with who listens, and not yet what they answer', () => {
    const [entry] = seenValue(evidence.entries);
    const connect = existing(entry?.socket, 'socket').connect;
    assert.equal(connect.state, 'accepted');
    assert.match((connect.state === 'accepted' && connect.listener?.containerId) || '', /^[0-9a-f]{64}$/);
    assert.deepEqual(entry?.socket?.registration, unseen('the socket was not asked'));
  });

  it('takes the answers of sockets by name, and keeps who listens', () => {
    const [entry] = seenValue(evidence.entries);
    const told = { asked: true, registration: unseen('x'), driver: unseen('y'), speaksCsi: true };
    const [answered, ...others] = seenValue(
      withAnswers(evidence, new Map([[entry?.name ?? '', told]])).entries,
    );
    assert.deepEqual(answered?.socket, { ...told, connect: entry?.socket?.connect });
    assert.deepEqual(others, []);
  });

  it('has the limits of inotify', () => {
    const limits = seenValue(evidence.limits);
    assert.ok(limits.usedInstances > 0 && limits.usedInstances < limits.maxInstances);
  });

  describe('is unseen, with the reason,', () => {
    it('without a kubelet, and everything of kubelet with it', () => {
      const dark = without('process');
      for (const part of ['kubelet', 'root', 'registry', 'watches', 'limits', 'entries'] as const)
        assert.deepEqual(dark[part], unseen('no kubelet process is visible on the node'), part);
    });
    it('with two kubelets of the host', () => {
      const two = having('process', (process) => [process, { ...process, pid: 9_999 }]);
      assert.match(
        two.kubelet.seen ? '' : two.kubelet.why,
        /^several processes look like kubelet: \d+ \(kubelet\), 9999/,
      );
    });
    it("where kubelet's watches may not be read", () => {
      const dark = having('watches', (watches) => [{ ...watches, readable: false }]);
      assert.deepEqual(dark.watches, unseen("kubelet's inotify watches may not be read"));
    });
    it('where there are more watches than were told', () => {
      const dark = having('watches', (watches) => [{ ...watches, truncated: true }]);
      assert.match(dark.watches.seen ? '' : dark.watches.why, /more than the agent reports/);
    });
    it('where the registry is not there', () => {
      const dark = having('root', (root) => [{ ...root, registry: { ...root.registry, state: 'absent' } }]);
      assert.match(dark.registry.seen ? '' : dark.registry.why, /plugins_registry is absent/);
    });
    it('where the registry could not be listed whole', () => {
      const dark = having('entries', (entries) => [{ ...entries, truncated: true }]);
      assert.match(dark.entries.seen ? '' : dark.entries.why, /too many entries/);
    });
    it('without the limits', () => {
      assert.equal(without('limits').limits.seen, false);
      assert.equal(having('limits', (limits) => [{ ...limits, maxUserWatches: null }]).limits.seen, false);
    });
    it('without the host', () => {
      assert.equal(without('host').host.seen, false);
    });
  });

  it('prefers the kubelet of the host to one of a cluster inside', () => {
    const nested = having('process', (process) => [process, { ...process, pid: 9_999, mountNamespace: '1' }]);
    assert.equal(seenValue(nested.kubelet).pid, seenValue(evidence.kubelet).pid);
  });

  for (const [connection, expected] of [
    ['refused', { state: 'refused' }],
    ['hung', { state: 'silent' }],
    ['failed', { state: 'failed', errno: 'EACCES' }],
  ] as const)
    it(`knows a socket that is ${connection}`, () => {
      const changed = having('entry', (entry) => [
        { ...entry, connection, connectErrno: 'EACCES', peer: null },
      ]);
      assert.deepEqual(seenValue(changed.entries)[0]?.socket?.connect, expected);
    });

  it('knows mounts that are not shared', () => {
    const mountOf = (shared: number | null, master: number | null) =>
      seenValue(
        having('root', (root) => {
          const { directory } = root;
          const mount = directory.mount && { ...directory.mount, shared, master };
          return [{ ...root, directory: { ...directory, mount } }];
        }).root,
      ).mount.propagation;
    assert.deepEqual(
      [mountOf(7, null), mountOf(null, 7), mountOf(null, null)],
      ['shared', 'slave', 'private'],
    );
  });
});

describe("the agent's answer", () => {
  it('that was cut off is no answer', () => {
    const lines = answer.trimEnd().split('\n');
    assert.throws(() => readAnswer(lines.slice(0, -1).join('\n')));
    assert.throws(() => readAnswer(''));
    assert.throws(() => readAnswer(answer.slice(0, -40)));
  });
  it('of another protocol is none', () => {
    assert.throws(() => readAnswer(answer.replaceAll('"v":1', '"v":2')));
  });
});
