import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { waitPodReady, waitUntil } from '../../cluster/index.ts';
import { onNode } from '../mounts/support/faults.ts';
import { csiJson } from '../registration/support/csi.ts';
import type { DoctorDocument } from '../registration/support/documents.ts';
import { applyInOrder } from './support/apply.ts';
import { assertBlocker } from './support/doctor.ts';
import { attributeCacheMs, exists, folderOf, holdBusy, signalDaemon, switchOn } from './support/node.ts';
import { namespace, whole } from './support/objects.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const node = 'node-1';
const bind = 'bind.csi.test';
const fuse = 'fuse.csi.test';

describe('doctor pod/NAME: pods that do not end', function () {
  this.timeout(300_000);
  let shared: Shared;
  const undo: (() => Promise<void>)[] = [];
  const folders = new Map<string, string>();
  const folder = (pod: string) => folders.get(pod) ?? '';
  const names = [
    'ending-dead',
    'ending-hung',
    'layered',
    'held',
    'nameless',
    'finalized',
    'bereft',
    'orphan',
  ];

  before(async function () {
    this.timeout(600_000);
    shared = await sharedCluster();
    const { cluster, node: first, drivers } = shared;
    await applyInOrder(cluster, [
      ...whole({ name: 'ending-dead', driver: fuse, node }),
      ...whole({ name: 'ending-hung', driver: fuse, node }),
      ...whole({ name: 'layered', driver: bind, node }),
      ...whole({ name: 'held', driver: bind, node }),
      ...whole({ name: 'nameless', driver: bind, node }),
      ...whole({ name: 'finalized', driver: bind, node, metadata: { finalizers: ['test.local/hold'] } }),
      ...whole({ name: 'bereft', driver: 'evicted.csi.test', node }),
      ...whole({ name: 'orphan', driver: bind, node, spec: { terminationGracePeriodSeconds: 0 } }),
    ]);
    await Promise.all(names.map((name) => waitPodReady(cluster, namespace, name)));
    for (const name of names) folders.set(name, await folderOf(cluster, first, name));
    // As most drivers do it: a look, one unmount, rmdir.
    undo.push(await switchOn(first, drivers.bind.pluginFolder, 'plain-unpublish'));
    undo.push(await switchOn(first, drivers.fuse.pluginFolder, 'plain-unpublish'));
    await onNode(first, 'mount --bind "$0/mount" "$0/mount"', folder('layered'));
    undo.push(
      await holdBusy(first, `${folder('layered')}/mount`),
      await holdBusy(first, `${folder('held')}/mount`),
    );
    for (const name of ['nameless', 'orphan']) await onNode(first, 'rm "$0/vol_data.json"', folder(name));
    await signalDaemon(first, 'ending-dead', 'KILL');
    await signalDaemon(first, 'ending-hung', 'STOP');
    await cluster.kubectl(['label', 'node', node, 'test.local/no-evicted.csi.test=']);
    await waitUntil('the driver to be gone', async () => !(await drivers.evicted.isRegistered(first)));
    await sleep(attributeCacheMs);
    await cluster.kubectl(['delete', 'pod', '-n', namespace, '--wait=false', ...names]);
    const logged = async (text: string) => (await first.kubeletLog()).text.includes(text);
    await waitUntil('kubelet to fail over the busy mounts', () => logged('device or resource busy'));
    await waitUntil('kubelet to fail over the dead mount', () =>
      logged('transport endpoint is not connected'),
    );
  });

  after(async function () {
    this.timeout(60_000);
    await signalDaemon(shared.node, 'ending-hung', 'CONT').catch(() => undefined);
    for (const each of undo.reverse()) await each().catch(() => undefined);
  });

  const gone = (pod: string) =>
    waitUntil(`pod ${pod} to be gone`, async () => !(await exists(shared.cluster, pod)), {
      timeoutMs: 150_000,
    });

  /** The command of a cure, without the sentence around it. */
  const commandIn = (cure: string | undefined) =>
    /in kubelet's mount namespace: (.*?)(; kubelet|$)/s.exec(String(cure))?.[1] ?? '';

  it('a dead mount that the driver looks at first; and its command clears it', async () => {
    const { blocker } = await assertBlocker(shared.cluster, 'ending-dead', {
      blocker: 'unmount-blocked: dead-mount',
      cure: /umount -l \S+\/ending-dead\/mount/,
      sound: ['plugin', 'registration'],
    });
    await onNode(shared.node, commandIn(blocker?.finding.cure));
    await gone('ending-dead');
  });

  it('a mount that hangs', async () => {
    await assertBlocker(shared.cluster, 'ending-hung', {
      blocker: 'unmount-blocked: hung',
      cure: /\/sys\/fs\/fuse\/connections\/\d+\/abort/,
    });
  });

  it('a second layer on the path', async () => {
    await assertBlocker(shared.cluster, 'layered', {
      blocker: 'unmount-blocked: extra-layers',
      cure: /findmnt/,
    });
  });

  it("a mount that somebody holds, by kubelet's own log", async () => {
    const { blocker } = await assertBlocker(shared.cluster, 'held', {
      blocker: 'unmount-blocked: held',
      cure: /end what holds it/,
    });
    assert.ok(
      blocker?.finding.proofs.some(({ what, source }) => source === "kubelet's log" && /busy/.test(what)),
    );
  });

  it('a lost vol_data.json; and its command clears it', async () => {
    const { blocker } = await assertBlocker(shared.cluster, 'nameless', {
      blocker: 'unmount-blocked: data-lost',
      cure: /vol_data\.json/,
    });
    await onNode(shared.node, commandIn(blocker?.finding.cure));
    await gone('nameless');
  });

  it('a node plugin that went before its pods', async () => {
    const { cluster } = shared;
    await assertBlocker(cluster, 'bereft', {
      blocker: 'plugin-missing: selector',
      cure: /daemonset evicted-csi-test/,
    });
    await cluster.kubectl(['label', 'node', node, 'test.local/no-evicted.csi.test-']);
  });

  it('a finalizer, which is not about storage; and its command clears it', async () => {
    const { cluster } = shared;
    const { blocker } = await assertBlocker(cluster, 'finalized', {
      blocker: 'pod-finalizers: finalizer',
      cure: /kubectl patch pod finalized -n stuck/,
    });
    assert.match(String(blocker?.finding.summary), /test\.local\/hold/);
    const patch = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await cluster.kubectl(['patch', 'pod', 'finalized', '-n', namespace, ...patch]);
    await gone('finalized');
  });

  it('a volume whose pod is gone and which has lost vol_data.json is told with the node; rmdir is all it takes', async () => {
    const { cluster, node: first } = shared;
    const look = async () => {
      const { doc } = await csiJson<DoctorDocument>(cluster, ['doctor', '--node', node]);
      return doc.diagnosis.findings.filter(({ rule }) => /orphan/.test(rule));
    };
    const [found, ...others] = await look();
    assert.equal(`${found?.rule}: ${found?.reason}`, 'orphan-nameless: data-lost');
    assert.deepEqual(others, []);
    assert.match(String(found?.cure), /umount \S+\/orphan\/mount; then rmdir \S+ \S+\. Never rm -r/);
    await onNode(first, 'umount "$0/mount" && rmdir "$0/mount" "$0"', folder('orphan'));
    assert.deepEqual(await look(), []);
  });
});
