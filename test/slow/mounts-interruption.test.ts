import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { signal } from '../cluster/host/processes.ts';
import { waitUntil } from '../cluster/index.ts';
import { agentProcesses } from '../e2e/mounts/support/agents.ts';
import { assertCleanDisk, immutableBeneath } from '../e2e/mounts/support/disk.ts';
import { withFault } from '../e2e/mounts/support/faults.ts';
import { healed, repair, repairLimit } from '../e2e/mounts/support/outcome.ts';
import { simplePod } from '../e2e/mounts/support/pods.ts';
import { Scene } from '../e2e/mounts/support/scene.ts';
import { type Shared, sharedCluster } from '../e2e/mounts/support/shared.ts';
import { csi, type RunningCsi, startCsi } from '../e2e/registration/support/csi.ts';

const namespace = 'interrupted';

/** What can end in the middle of a repair. It is the old state or the new one afterwards. */
type Victim = 'client' | 'agent' | 'debug pod' | 'kubelet' | 'API server';

/** Milliseconds after the repair began on the node: before the dead mounts leave, while they are away, and after. */
const moments = [0, 500, 1_200];

describe('a repair that is cut off', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, namespace, [simplePod('app')]);
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  const die = async () => {
    const killedAt = Date.now();
    await scene.killPlugins(['staging']);
    await scene.waitFailing(killedAt);
  };

  /** Returns when the agent is at work on the node. */
  const waitBegun = async (run: RunningCsi) => {
    const begun = async () =>
      agentProcesses(shared.node, 'replace').length > 0 || run.child.exitCode !== null;
    await waitUntil('the repair to begin', begun, { intervalMs: 20, timeoutMs: repairLimit });
  };

  const acts: Readonly<Record<Victim, (run: RunningCsi) => Promise<void>>> = {
    client: async (run) => void run.child.kill('SIGKILL'),
    agent: async () => {
      for (const each of agentProcesses(shared.node, 'replace')) signal(each, 'SIGKILL');
    },
    'debug pod': async () => {
      const own = ['-l', 'app.kubernetes.io/managed-by=kubectl-csi'];
      await shared.cluster.kubectl(['delete', 'pod', '-A', ...own, '--force', '--grace-period=0']);
    },
    kubelet: () => shared.node.restartKubelet(),
    'API server': async () => {
      shared.cluster.pauseApiServer();
      await sleep(5_000);
      shared.cluster.resumeApiServer();
    },
  };

  for (const victim of Object.keys(acts) as Victim[])
    it(`because the ${victim} ended leaves the old state or the new one, and the next heal completes it`, async () => {
      for (const moment of moments) await cutOff(victim, moment);
    });

  /** Whoever lives on says what is so: it is done, or what it saw when it looked again. */
  async function assertTold(victim: Victim, moment: number, run: RunningCsi): Promise<void> {
    const result = await run.ended;
    if (victim === 'client') return;
    const { attempts, code } = healed(result);
    const told = attempts.join('\n');
    console.error(`${victim} at ${moment} ms: ${code} ${told}`);
    assert.ok([0, 4, 5].includes(code), `${code}: ${result.stdout}${result.stderr}`);
    if (code !== 0) assert.match(told, /looked again: |^remount: undone: /);
  }

  async function cutOff(victim: Victim, moment: number): Promise<void> {
    const { cluster, node, drivers } = shared;
    await die();
    await withFault(node, drivers.staging, 'slow=0.4', async () => {
      const run = startCsi(cluster, ['heal', '--node', node.name, '-o', 'json'], { timeoutMs: repairLimit });
      await waitBegun(run);
      await sleep(moment);
      await acts[victim](run);
      await assertTold(victim, moment, run);
    });
    await waitUntil('the agent to end', async () => agentProcesses(node, 'replace').length === 0, {
      timeoutMs: 120_000,
    });
    const looked = await csi(cluster, ['doctor', '--node', node.name], { timeoutMs: repairLimit });
    assert.ok([0, 1].includes(looked.code), `${victim} at ${moment} ms: ${looked.stdout}${looked.stderr}`);
    const { code, attempts, refusals } = await repair(shared, 'heal', '--node', node.name);
    assert.equal(code, 0, `${victim} at ${moment} ms: ${[...attempts, ...refusals].join('\n')}`);
    await scene.waitWell(Date.now());
    await scene.assertStored();
    await assertCleanDisk(node);
    assert.equal((await scene.running()).get('app/app')?.restarts, 0);
  }

  it('a pod that goes after a repair was cut off is not kept from going', async () => {
    const { cluster, node, drivers } = shared;
    await die();
    await withFault(node, drivers.staging, 'slow=0.4', async () => {
      const run = startCsi(cluster, ['heal', '--node', node.name, '-o', 'json'], { timeoutMs: repairLimit });
      await waitBegun(run);
      const kubelet = await node.kubeletPid();
      const targets = () =>
        readFileSync(`/proc/${kubelet}/mountinfo`, 'utf8')
          .split('\n')
          .filter((line) => line.includes('kubernetes.io~csi'));
      const dead = targets();
      const published = async () => targets().some((line) => !dead.includes(line));
      await waitUntil('the volume to be published again', published, { intervalMs: 5 });
      await acts.agent(run);
      run.child.kill('SIGKILL');
      await run.ended;
    });
    assert.notDeepEqual(await immutableBeneath(node), [], 'the guard is left');
    const uid = await scene.uidOf('app');
    const looked = await csi(cluster, ['doctor', '--node', node.name], { timeoutMs: repairLimit });
    assert.match(looked.stdout, /guard-beneath/);
    await cluster.kubectl(['delete', 'pod', '-n', namespace, 'app', '--wait=false']);
    const { attempts, code, stdout } = await repair(shared, 'heal', '--node', node.name);
    assert.equal(code, 0, stdout);
    assert.ok(
      attempts.some((attempt) => attempt.startsWith('unguard: repaired')),
      attempts.join('\n'),
    );
    await assertCleanDisk(node);
    const left = async () => (await node.run(['ls', `${node.kubeletRoot}/pods/${uid}`])).code === 0;
    await waitUntil("kubelet to remove the pod's folder", async () => !(await left()), {
      timeoutMs: 150_000,
    });
  });
});
