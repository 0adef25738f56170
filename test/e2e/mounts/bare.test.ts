import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../../cluster/index.ts';
import { csi, csiJson, startCsi } from '../registration/support/csi.ts';
import type { DoctorDocument } from '../registration/support/documents.ts';
import { assertCleanDisk, filesBeneath, immutableBeneath, removeBeneath, targetsOf } from './support/disk.ts';
import { onNode, withFault } from './support/faults.ts';
import { killContainer } from './support/kill.ts';
import { healed, repair, repairLimit } from './support/outcome.ts';
import { simplePod } from './support/pods.ts';
import { Scene } from './support/scene.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const namespace = 'bared';

/**
 * Seconds for each call: at first short of what counts as mute, then long enough for kubelet to start a container
 * before the publish is done. The driver goes by the first of its files.
 */
const slow = { first: 'slow=1', second: 'slow=08' };

describe('bare directories', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, namespace, [
      simplePod('emptied'),
      simplePod('window'),
      simplePod('leaver'),
    ]);
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  const probesOf = (name: string) => scene.probes().filter(({ pod }) => pod.name === name);
  const restarts = async (name: string) => (await scene.running()).get(`${name}/app`)?.restarts;

  /** Runs a repair of one pod against a slow driver, and does something while its target is bare. */
  const inTheWindow = async (pod: string, act: () => Promise<void>) => {
    const { node, drivers, cluster } = shared;
    const uid = await scene.uidOf(pod);
    return withFault(node, drivers.staging, slow.first, async () => {
      const args = ['remount', `pod/${pod}`, '-n', namespace, '--strategy', 'swap', '-o', 'json'];
      const run = startCsi(cluster, args, { timeoutMs: repairLimit });
      const isBare = async () => (await targetsOf(node, uid)).length === 0 || run.child.exitCode !== null;
      await waitUntil('the target to be bare', isBare, { intervalMs: 50, timeoutMs: repairLimit });
      assert.equal(run.child.exitCode, null, run.printed());
      await withFault(node, drivers.staging, slow.second, act);
      return healed(await run.ended);
    });
  };

  describe('a target that somebody unmounted, and a container that was started on it since', () => {
    before(async () => {
      const uid = await scene.uidOf('emptied');
      const [target] = await targetsOf(shared.node, uid);
      assert.ok(target);
      await onNode(shared.node, 'umount -l "$0" && echo mine >"$0/by hand"', target);
      const startedAt = Date.now();
      await killContainer(scene, 'emptied');
      await scene.waitWell(startedAt, probesOf('emptied'));
      await waitUntil('the API server to know it', async () => (await restarts('emptied')) === 1);
    });

    it('is found with the files that lie there', async () => {
      const { doc, code } = await csiJson<DoctorDocument>(shared.cluster, ['doctor', '--node', 'node-1']);
      const found = doc.diagnosis.findings.filter(({ rule }) => rule.startsWith('mount-'));
      assert.deepEqual(
        found.map(({ rule, reason }) => `${rule}: ${reason}`),
        ['mount-bare: not-mounted'],
      );
      assert.match(found[0]?.summary ?? '', /emptied of pod bared\/emptied is a bare directory .*by hand/);
      assert.match(found[0]?.summary ?? '', /emptied-app\.log/);
      assert.match(found[0]?.cure ?? '', /never deleted/);
      assert.equal(code, 1);
    });

    it('is mounted again, under the container too, with no restart', async () => {
      const before = await restarts('emptied');
      const { code, attempts } = await repair(shared, 'heal', '--node', 'node-1');
      assert.equal(code, 0, attempts.join('\n'));
      const healedAt = Date.now();
      await scene.waitWell(healedAt, probesOf('emptied'));
      assert.equal(await restarts('emptied'), before);
      const stored = await shared.cluster.s3.read(`${namespace}-emptied/emptied-app.log`);
      const lines = new Set(stored?.split('\n'));
      const later = probesOf('emptied').flatMap((probe) =>
        scene.attempts(probe).filter(({ ok, at }) => ok && at > healedAt),
      );
      assert.ok(later.length > 0 && later.every(({ n }) => lines.has(String(n))));
    });

    it('keeps the files, hidden by the mount', async () => {
      const files = await filesBeneath(shared.node);
      assert.deepEqual(files.map((path) => path.replace(/^.*\//, '')).sort(), ['by hand', 'emptied-app.log']);
      assert.deepEqual(await immutableBeneath(shared.node), []);
      for (const file of ['by hand', 'emptied-app.log'])
        await removeBeneath(shared.node, `${namespace}-emptied`, file);
      await assertCleanDisk(shared.node);
    });
  });

  describe('a target that a repair has bared for a moment', () => {
    before(async () => {
      const killedAt = Date.now();
      await scene.killPlugins(['staging']);
      await scene.waitFailing(killedAt);
    });

    it('cannot be written by a container that starts exactly then, which gets the volume afterwards', async () => {
      const { code, attempts } = await inTheWindow('window', async () => {
        await killContainer(scene, 'window');
        const bound = () => probesOf('window').some((probe) => scene.attempts(probe).some(isOnGuard));
        await waitUntil('the container to run on the bare directory', async () => bound());
      });
      assert.equal(code, 0, attempts.join('\n'));
      await scene.waitWell(Date.now(), probesOf('window'));
      assert.equal(await restarts('window'), 1, 'the one that the test forced');
      await scene.assertStored(probesOf('window'));
      await assertCleanDisk(shared.node);
    });

    it('is left to kubelet when the pod is deleted meanwhile', async () => {
      const uid = await scene.uidOf('leaver');
      const { code } = await inTheWindow('leaver', async () => {
        const deleted = await shared.cluster.kubectl([
          'delete',
          'pod',
          '-n',
          namespace,
          'leaver',
          '--wait=false',
        ]);
        assert.equal(deleted.code, 0, deleted.stderr);
      });
      assert.ok([0, 1, 4].includes(code), `exit code ${code}`);
      await waitUntil('kubelet to unmount it', async () => (await targetsOf(shared.node, uid)).length === 0, {
        timeoutMs: 120_000,
      });
      await assertCleanDisk(shared.node);
    });

    it('needs nothing more', async () => {
      const { code, attempts } = await repair(shared, 'heal', '--node', 'node-1');
      assert.equal(code, 0, attempts.join('\n'));
      const looked = await csi(shared.cluster, ['doctor', '--node', 'node-1'], { timeoutMs: repairLimit });
      assert.equal(looked.code, 0, looked.stdout);
    });
  });

  it('of a pod that no longer exists is reported, and left alone', async () => {
    const { node, cluster } = shared;
    const folder = `${node.kubeletRoot}/pods/0b5e1de0-0000-4000-8000-000000000001/volumes/kubernetes.io~csi/gone`;
    const data = JSON.stringify({ driverName: 's3.csi.test', volumeHandle: 'gone' });
    await onNode(
      node,
      'mkdir -p "$0/mount" && printf %s "$1" >"$0/vol_data.json" && mount -t tmpfs gone "$0/mount"',
      folder,
      data,
    );
    try {
      const { doc } = await csiJson<DoctorDocument>(cluster, ['doctor', '--node', 'node-1']);
      const found = doc.diagnosis.findings.filter(
        ({ rule }) => rule.startsWith('mount-') || rule.startsWith('vol'),
      );
      assert.deepEqual(
        found.map(({ rule, reason }) => `${rule}: ${reason}`),
        ['volume-orphaned: pod-gone'],
      );
      const { attempts, refusals, code } = await repair(shared, 'heal', '--node', 'node-1');
      assert.deepEqual(attempts, []);
      assert.match(refusals.join('\n'), /by hand: kubelet's log on node-1/);
      assert.equal(code, 1);
      await onNode(node, 'mountpoint -q "$0/mount"', folder);
    } finally {
      await onNode(
        node,
        'umount "$0/mount" && rm "$0/vol_data.json" && rmdir -p --ignore-fail-on-non-empty "$0/mount"',
        folder,
      );
    }
  });
});

/** What a write into the immutable directory answers. */
const isOnGuard = ({ start, errno }: { readonly start: number; readonly errno: string }) =>
  start > 0 && (errno === 'EPERM' || errno === 'EACCES');
