import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { assertCleanDisk, csiMounts } from '../mounts/support/disk.ts';
import { mountsOf } from '../mounts/support/mountinfo.ts';
import { repair } from '../mounts/support/outcome.ts';
import { type Running, Scene } from '../mounts/support/scene.ts';
import type { Shared } from '../mounts/support/shared.ts';
import { assertNothingLeft, assertRegistered, nodeEvents } from '../registration/support/cluster-state.ts';
import { csi } from '../registration/support/csi.ts';
import { pods, startShared, tally } from './apps.ts';

const name = 's3.csi.test';

describe('restart of a node plugin under twenty apps', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;
  let running: ReadonlyMap<string, Running>;

  before(async function () {
    this.timeout(1_200_000);
    shared = await startShared();
    scene = await Scene.open(shared, 'handover', pods);
    running = await scene.running();
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
    await shared?.cluster.stop();
  });

  const restart = (...args: readonly string[]) =>
    repair(shared, 'restart', name, '--node', shared.node.name, ...args);

  const pluginPod = () => shared.drivers.staging.podOn(shared.node);

  const mounts = () =>
    new Map(
      [...running].map(([container, { id }]) => [container, mountsOf(shared.node, id, ['/data'])] as const),
    );

  /** Nothing of ours is mounted, no pod of ours runs, and no folder is left. */
  const assertGone = async () => {
    const ours = (await csiMounts(shared.node)).filter((line) => line.includes('kubectl-csi-handover'));
    assert.deepEqual(ours, []);
    const { stdout } = await shared.node.run([
      'find',
      `${shared.node.kubeletRoot}/plugins`,
      '-xdev',
      '-name',
      'kubectl-csi*',
    ]);
    assert.equal(stdout, '');
    await assertNothingLeft(shared.cluster);
    await assertCleanDisk(shared.node);
  };

  const assertSameContainers = async () => assert.deepEqual(await scene.running(), running);

  /** Tells what was measured beside the test's name. */
  const told = (test: Mocha.Runnable, words: string) => {
    test.title += ` (${words})`;
  };

  it('tells what it would do with each volume, and does nothing', async () => {
    const pod = await pluginPod();
    const { code, stdout } = await csi(shared.cluster, [
      'restart',
      name,
      '--node',
      shared.node.name,
      '--dry-run',
    ]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /hand 20 container mounts on 5 volumes over to a second driver/);
    assert.equal(stdout.match(/carried over, no app notices/g)?.length, 5, stdout);
    assert.ok(
      stdout.split('\n').every((line) => line.length <= 100),
      stdout,
    );
    assert.equal(await pluginPod(), pod);
  });

  it('upgrades with handover: not one operation fails, and each container keeps what it has', async function () {
    const { cluster, node } = shared;
    const patch = {
      spec: {
        updateStrategy: { type: 'OnDelete', rollingUpdate: null },
        template: { metadata: { labels: { version: 'two' } } },
      },
    };
    const set = ['-n', 'csi', 'daemonset', 's3-csi-test'];
    await cluster.kubectl(['patch', ...set, '--type=merge', '-p', JSON.stringify(patch)]);
    const [pod, before] = [await pluginPod(), mounts()];
    const begun = Date.now();
    const usual = tally(scene, begun - 10_000, begun).longest;
    const { code, attempts, doc } = await restart();
    const took = Date.now() - begun;
    await sleep(1_500);
    const { failed, longest, attempts: operations } = tally(scene, begun);
    assert.equal(code, 0, attempts.join('\n'));
    assert.deepEqual(failed, []);
    assert.ok(operations > 1_000, `${operations} operations`);
    await assertSameContainers();
    assert.deepEqual(mounts(), before, 'flags, propagation and offset');
    assert.notEqual(await pluginPod(), pod);
    const upgraded = ['get', 'pods', '-n', 'csi', '-l', 'version=two', '-o', 'name'];
    assert.match((await cluster.kubectl(upgraded)).stdout, /pod\/s3-csi-test-/);
    await assertRegistered(cluster, node, shared.drivers.staging);
    await assertGone();
    const note = doc.outcome?.steps[0]?.attempts[0]?.notes?.[0] ?? '';
    assert.match(note, /^20 containers on 4 volumes moved/);
    const last = (await nodeEvents(cluster, node)).at(-1);
    assert.equal(`${last?.type} ${last?.reason}`, 'Normal CSIDriverRestarted');
    told(
      this.test as Mocha.Runnable,
      `${operations} operations in ${(took / 1000).toFixed(1)} s, 0 failed, the slowest ${longest.toFixed(0)} ms, before it ${usual.toFixed(0)} ms`,
    );
  });

  it('without handover the same apps fail until the volumes are back, and are not restarted either', async function () {
    const begun = Date.now();
    const { code, attempts } = await restart('--no-handover');
    const ended = Date.now();
    await scene.waitWell(ended);
    const { failed, outage } = tally(scene, begun);
    assert.equal(code, 0, attempts.join('\n'));
    assert.ok(failed.length > 0);
    assert.deepEqual(tally(scene, ended + 1_000).failed, []);
    await assertSameContainers();
    await assertGone();
    told(this.test as Mocha.Runnable, `${failed.length} failed in ${(outage / 1000).toFixed(1)} s`);
  });

  it('refuses to end what an app holds open, says who, and takes all back', async () => {
    const hold = ['exec', '-n', 'handover', 'one', '-c', 'whole', '--'];
    const keep = 'exec 3>/data/held; sleep 60';
    const pod = await pluginPod();
    const holder = shared.cluster.kubectl([...hold, 'sh', '-c', keep]);
    await sleep(1_000);
    const begun = Date.now();
    const { code, attempts } = await restart('--drain-timeout', '2s');
    assert.equal(code, 4, attempts.join('\n'));
    assert.match(
      attempts[0] ?? '',
      /undone: still open .*container whole of pod handover\/one holds 1 open desc/,
    );
    await shared.cluster.kubectl([...hold, 'pkill', '-f', 'sleep 60']);
    await holder;
    assert.deepEqual(tally(scene, begun).failed, []);
    assert.equal(await pluginPod(), pod);
    await assertSameContainers();
    await assertGone();
  });

  it('refuses what it cannot mean', async () => {
    const says = async (...args: readonly string[]) => {
      const { code, stderr } = await csi(shared.cluster, ['restart', ...args]);
      assert.equal(code, 2, stderr);
      return stderr;
    };
    assert.match(await says('--all'), /which driver/);
    assert.match(await says(name), /wants to know where/);
    assert.match(await says('nobody.csi', '--all'), /no CSI driver "nobody.csi" is known/);
    assert.match(await says(name, '--all', '--max-unavailable', '0'), /at least 1/);
    assert.match(await says(name, '--all', '--drain-timeout', 'soon'), /drain-timeout/);
  });
});
