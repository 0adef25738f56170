import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../cluster/index.ts';
import { agentProcesses } from '../e2e/mounts/support/agents.ts';
import { assertCleanDisk } from '../e2e/mounts/support/disk.ts';
import { withFault } from '../e2e/mounts/support/faults.ts';
import { repair, repairLimit } from '../e2e/mounts/support/outcome.ts';
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
      for (const { pid } of agentProcesses(shared.node, 'replace')) process.kill(pid, 'SIGKILL');
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

  async function cutOff(victim: Victim, moment: number): Promise<void> {
    const { cluster, node, drivers } = shared;
    await die();
    await withFault(node, drivers.staging, 'slow=0.4', async () => {
      const run = startCsi(cluster, ['heal', '--node', node.name], { timeoutMs: repairLimit });
      await waitBegun(run);
      await sleep(moment);
      await acts[victim](run);
      await run.ended;
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
});
