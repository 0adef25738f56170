import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { findIncident, waitUntil } from '../../cluster/index.ts';
import {
  assertNothingLeft,
  assertRegistered,
  ownObjects,
} from '../../e2e/registration/support/cluster-state.ts';
import { csi, type RunningCsi, startCsi } from '../../e2e/registration/support/csi.ts';
import { setHiddenImmutable } from '../../e2e/registration/support/hidden-folder.ts';
import { type Shared, sharedCluster } from '../../e2e/registration/support/shared.ts';

/** Moments of a run, told by what stands in the cluster. */
const moments: Readonly<Record<string, (own: readonly string[]) => boolean>> = {
  'the agent is in the cluster, its pod is not': (own) => own.some((name) => name.startsWith('ConfigMap')),
  'the debug pod starts': (own) => own.some((name) => name.startsWith('Pod')),
  'the node is being healed': (own) => own.some((name) => name.startsWith('Lease')),
};

describe('a run that is interrupted', function () {
  this.timeout(120_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
  });

  const reach = async (run: RunningCsi, moment: (own: readonly string[]) => boolean) => {
    const seen = async () => moment(await ownObjects(shared.cluster)) || run.child.exitCode !== null;
    await waitUntil('the moment', seen, { intervalMs: 20 });
  };

  const whileLost = async (test: () => Promise<void>) => {
    const { cluster, node, driver } = shared;
    const undo = await findIncident('lost-event').apply(cluster, node, driver);
    try {
      await test();
    } finally {
      await undo();
    }
    await assertRegistered(cluster, node, driver);
  };

  const healNode = () => startCsi(shared.cluster, ['heal', '--node', shared.node.name]);

  for (const [name, moment] of Object.entries(moments)) {
    it(`leaves nothing after Ctrl-C when ${name}`, () =>
      whileLost(async () => {
        const run = healNode();
        await reach(run, moment);
        run.child.kill('SIGINT');
        const { code, stderr, stdout } = await run.ended;
        assert.ok([0, 1, 4, 130].includes(code), `exit code ${code}: ${stdout}${stderr}`);
        if (code === 130) assert.match(stderr, /^interrupted: cleaning up/);
        await assertNothingLeft(shared.cluster);
        assert.deepEqual(await dottedSockets(shared), [], 'every socket has its name');
      }));

    it(`is swept by the next run after SIGKILL when ${name}`, () =>
      whileLost(async () => {
        const run = healNode();
        await reach(run, moment);
        run.child.kill('SIGKILL');
        await run.ended;
        const next = await csi(shared.cluster, ['status', '--deep', '--node', shared.otherNode.name]);
        assert.equal(next.code, 0, `another node is well: ${next.stdout}${next.stderr}`);
        await assertNothingLeft(shared.cluster);
      }));
  }

  it('leaves a colleague’s run alone, and takes what has expired', async () => {
    const { cluster } = shared;
    const hour = 3_600_000;
    const going = configMapOf('going-on', 'alice-laptop/1/1', hour);
    await cluster.apply([going, configMapOf('expired', 'alice-laptop/1/1', -hour)]);
    try {
      await csi(cluster, ['status', '--deep', '--node', shared.otherNode.name]);
      assert.deepEqual(await ownObjects(cluster), ['ConfigMap default/going-on']);
      const kept = await csi(cluster, ['cleanup']);
      assert.match(kept.stdout, /kept +configmap default\/going-on .*--force removes it/);
      assert.equal(kept.code, 0);
      assert.match(
        (await csi(cluster, ['cleanup', '--force'])).stdout,
        /removed configmap default\/going-on/,
      );
    } finally {
      await cluster.kubectl(['delete', 'configmap', 'going-on', 'expired', '--ignore-not-found']);
    }
    await assertNothingLeft(cluster);
  });

  it('leaves nothing after Ctrl-C while kubelet restarts', async () => {
    const { cluster, node, driver } = shared;
    const undo = await findIncident('orphaned-watch').apply(cluster, node, driver);
    try {
      await setHiddenImmutable(node, true);
      const old = await node.kubeletPid();
      const run = startCsi(cluster, ['heal', '--node', node.name, '--max-risk', 'disruptive', '--force']);
      await waitUntil('kubelet to be ended', async () => (await node.kubeletPid().catch(() => 0)) !== old, {
        intervalMs: 50,
      });
      run.child.kill('SIGINT');
      const { code, stdout, stderr } = await run.ended;
      assert.ok([0, 4, 130].includes(code), `exit code ${code}: ${stdout}${stderr}`);
      await waitUntil('kubelet to run again', async () => (await node.kubeletPid()) > 0);
      await csi(cluster, ['status', '--deep', '--node', shared.otherNode.name]);
      await assertNothingLeft(cluster);
    } finally {
      await setHiddenImmutable(node, false);
      await undo();
    }
    await assertRegistered(cluster, node, driver);
  });
});

/** Whether an announcement was left half done. */
async function dottedSockets({ node, driver }: Shared): Promise<string[]> {
  const { stdout } = await node.run(['ls', '-A', `${node.kubeletRoot}/plugins_registry`]);
  return stdout
    .split('\n')
    .filter((name) => name.startsWith(`.${driver.spec.name}`) && !name.includes('.stale-'));
}

/** What a run of another machine left, or has there. @param life milliseconds until it expires */
function configMapOf(name: string, client: string, life: number): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'default',
      labels: { 'app.kubernetes.io/managed-by': 'kubectl-csi', 'kubectl-csi/run': '0123456789' },
      annotations: {
        'kubectl-csi/client': client,
        'kubectl-csi/expires': new Date(Date.now() + life).toISOString(),
      },
    },
  };
}
