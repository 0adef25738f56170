import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { assertCleanDisk, csiMounts } from '../e2e/mounts/support/disk.ts';
import { addEphemeral } from '../e2e/mounts/support/ephemeral.ts';
import { type Mount, mountsOf } from '../e2e/mounts/support/mountinfo.ts';
import { type Healed, repair } from '../e2e/mounts/support/outcome.ts';
import { driverNames } from '../e2e/mounts/support/pods.ts';
import { type Running, Scene } from '../e2e/mounts/support/scene.ts';
import { type DriverClass, type Shared, sharedCluster } from '../e2e/mounts/support/shared.ts';
import { ephemeral, table } from '../e2e/mounts/support/table.ts';
import { assertNothingLeft } from '../e2e/registration/support/cluster-state.ts';

/** Every shape of container and of mount of the table of dead volumes, and no volume dies. */
describe('a handover of every shape of mount', function () {
  this.timeout(600_000);
  let shared: Shared;
  let scene: Scene;
  let running: ReadonlyMap<string, Running>;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, 'table', table);
    await addEphemeral(scene, 'plain', ephemeral);
    await scene.waitWell();
    running = await scene.running();
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  const mounts = (): ReadonlyMap<string, readonly Mount[]> =>
    new Map(
      scene.pods.flatMap((pod) =>
        pod.containers.flatMap(({ name, mounts: declared }) => {
          const container = running.get(`${pod.name}/${name}`);
          if (declared.length === 0 || !container) return [];
          const paths = [...declared.map(({ mountPath }) => String(mountPath)), '/run/data'];
          return [[`${pod.name}/${name}`, mountsOf(scene.nodeOf(pod), container.id, paths)] as const];
        }),
      ),
    );

  const failed = (since: number) =>
    scene.probes().flatMap((probe) => scene.attempts(probe).filter(({ ok, at }) => !ok && at >= since));

  for (const kind of ['staging', 'plain', 'group'] as DriverClass[])
    it(`of the driver of class ${kind}: not one attempt fails, and each container keeps what it has`, async () => {
      const [begun, before] = [Date.now(), mounts()];
      const done: Healed = await repair(shared, 'restart', driverNames[kind], '--all');
      await sleep(2_000);
      assert.equal(done.code, 0, done.attempts.join('\n'));
      assert.deepEqual(failed(begun), []);
      assert.deepEqual(await scene.running(), running);
      assert.deepEqual(mounts(), before);
    });

  it('leaves nothing behind, and loses no line', async () => {
    await scene.waitWell(Date.now());
    await scene.assertStored();
    for (const node of shared.cluster.nodes) {
      assert.deepEqual(
        (await csiMounts(node)).filter((line) => line.includes('handover')),
        [],
      );
      await assertCleanDisk(node);
    }
    await assertNothingLeft(shared.cluster);
  });
});
