import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../cluster/index.ts';
import { calm, pods, startShared, tally } from '../e2e/handover/apps.ts';
import { assertCleanDisk, csiMounts } from '../e2e/mounts/support/disk.ts';
import { repair, repairLimit } from '../e2e/mounts/support/outcome.ts';
import { type Running, Scene } from '../e2e/mounts/support/scene.ts';
import type { Shared } from '../e2e/mounts/support/shared.ts';
import { assertNothingLeft, ownObjects } from '../e2e/registration/support/cluster-state.ts';
import { csi, csiJson, type RunningCsi, startCsi } from '../e2e/registration/support/csi.ts';
import type { StatusDocument } from '../e2e/registration/support/documents.ts';

const name = 's3.csi.test';

/** What can end in the middle of a handover. */
type Victim = 'client' | 'client by Ctrl-C' | 'debug pod' | 'kubelet' | 'API server';

/** What is there when it ends, in the order in which it comes. */
type Moment = 'second driver' | 'its mounts' | 'old plugin gone' | 'new plugin' | 'volumes back';

describe('a handover that is cut off', function () {
  this.timeout(600_000);
  let shared: Shared;
  let scene: Scene;
  let running: ReadonlyMap<string, Running>;

  before(async function () {
    this.timeout(1_200_000);
    shared = await startShared();
    scene = await Scene.open(shared, 'handover', calm(pods.slice(2)));
    running = await scene.running();
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
    await shared?.cluster.stop();
  });

  const acts: Readonly<Record<Victim, (run: RunningCsi) => Promise<void>>> = {
    client: async (run) => void run.child.kill('SIGKILL'),
    'client by Ctrl-C': async (run) => void run.child.kill('SIGINT'),
    'debug pod': async () => {
      const own = ['-l', 'app.kubernetes.io/managed-by=kubectl-csi,!kubectl-csi/handover'];
      await shared.cluster.kubectl(['delete', 'pod', '-A', ...own, '--force', '--grace-period=0']);
    },
    kubelet: () => shared.node.restartKubelet(),
    'API server': async () => {
      shared.cluster.pauseApiServer();
      await sleep(5_000);
      shared.cluster.resumeApiServer();
    },
  };

  const ours = async () =>
    (await csiMounts(shared.node)).filter((line) => line.includes('kubectl-csi-handover'));
  const hasSecond = async () =>
    (await ownObjects(shared.cluster)).some((each) => each.includes('-handover-'));

  /** @param old the node plugin's pod before */
  const came = (old: string | undefined): Readonly<Record<Moment, () => Promise<boolean>>> => ({
    'second driver': hasSecond,
    'its mounts': async () => (await ours()).length > 0,
    'old plugin gone': async () => (await shared.drivers.staging.podOn(shared.node)) !== old,
    'new plugin': async () => {
      const ready = '-o=jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
      const { stdout } = await shared.cluster.kubectl([
        'get',
        'pods',
        '-n',
        'csi',
        '-l',
        'app=s3-csi-test',
        ready,
      ]);
      return (await came(old)['old plugin gone']()) && stdout === 'True';
    },
    'volumes back': async () => (await came(old)['new plugin']()) && (await ours()).length < 6,
  });

  const moments: readonly Moment[] = [
    'second driver',
    'its mounts',
    'old plugin gone',
    'new plugin',
    'volumes back',
  ];

  for (const victim of Object.keys(acts) as Victim[])
    for (const moment of moments)
      it(`because the ${victim} ended at "${moment}": no app notices, and the same command completes it`, () =>
        cutOff(victim, moment));

  async function cutOff(victim: Victim, moment: Moment): Promise<void> {
    const { cluster, node } = shared;
    const begun = Date.now();
    const old = await shared.drivers.staging.podOn(node);
    const args = ['restart', name, '--node', node.name];
    const run = startCsi(cluster, [...args, '-o', 'json'], { timeoutMs: repairLimit });
    const there = came(old)[moment];
    await waitUntil(moment, async () => run.child.exitCode !== null || (await there()), {
      intervalMs: 50,
      timeoutMs: 120_000,
    });
    await acts[victim](run);
    const ended = await run.ended;
    const where = `${victim} at ${moment}: exit code ${ended.code}: ${ended.stdout}${ended.stderr}`;
    assert.deepEqual(tally(scene, begun).failed, [], where);
    if (await hasSecond()) await assertTold(where);
    const again = await repair(shared, ...args);
    assert.equal(again.code, 0, `${where}\n${again.attempts.join('\n')}\n${again.stdout}`);
    await scene.waitWell(Date.now());
    assert.deepEqual(tally(scene, begun).failed, [], where);
    assert.deepEqual(await scene.running(), running, where);
    assert.deepEqual(await ours(), [], where);
    await assertNothingLeft(cluster);
    await assertCleanDisk(node);
  }

  /** `status` names the command, `heal` makes nothing worse, `cleanup` keeps the second driver. */
  async function assertTold(where: string): Promise<void> {
    const { cluster, node } = shared;
    const { doc } = await csiJson<StatusDocument>(cluster, ['status', '--node', node.name]);
    assert.ok(
      doc.diagnosis.findings.some(
        ({ rule, cure }) => rule === 'handover-unfinished' && cure.includes(`restart ${name}`),
      ),
      where,
    );
    await csi(cluster, ['heal', '--node', node.name], { timeoutMs: repairLimit });
    const { stdout } = await csi(cluster, ['cleanup', '--force']);
    assert.match(
      stdout,
      /left +pod csi\/kubectl-csi-handover-\S+ carries volumes: kubectl csi restart/,
      where,
    );
  }
});
