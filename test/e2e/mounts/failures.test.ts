import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { waitPluginReady } from '../../cluster/incidents/actions.ts';
import { waitUntil } from '../../cluster/index.ts';
import { excludedLabel } from '../../cluster/manifests/driver.ts';
import { assertCleanDisk, csiMounts } from './support/disk.ts';
import { podEvents } from './support/events.ts';
import { withFault } from './support/faults.ts';
import { type Healed, repair } from './support/outcome.ts';
import type { AppPod } from './support/pods.ts';
import { Scene } from './support/scene.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const app: AppPod = {
  name: 'app',
  volumes: { data: { handle: 'data' } },
  containers: [
    {
      name: 'app',
      mounts: [{ name: 'data', mountPath: '/data', subPath: 'sub' }],
      places: [{ path: '/data', stored: 'data/sub' }],
    },
  ],
};

describe('a driver that does not do what it is asked', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;
  let dead: readonly string[];

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, 'failures', [app]);
    const killedAt = Date.now();
    await scene.killPlugins(['staging']);
    await scene.waitFailing(killedAt);
    dead = await layers();
    assert.equal(dead.length, 2, 'the target and the subPath');
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  const heal = () => repair(shared, 'heal', '--node', shared.node.name);

  /** Path and device of every mount of the pod. A staging path that lives again stays: the next attempt goes on from it. */
  const layers = async () =>
    (await csiMounts(shared.node))
      .filter((line) => line.includes('/pods/'))
      .map((line) => {
        const [, , device, , path] = line.split(' ');
        return `${path} ${device}`;
      })
      .sort();

  const assertAsBefore = async () => {
    assert.deepEqual(await layers(), dead, 'the dead mounts are back, one layer each');
    await assertCleanDisk(shared.node);
  };

  const assertRefused = async ({ code, attempts, refusals, stdout }: Healed, why: RegExp) => {
    assert.ok(
      attempts.every((attempt) => attempt.includes(': refused: ')),
      stdout,
    );
    const whys = [...attempts, ...refusals].join('\n');
    assert.match(whys, why);
    assert.equal(code, 1, whys);
    await assertAsBefore();
  };

  it('that answers OK and mounts nothing: failed, undone, and named', async () => {
    const { code, attempts } = await withFault(
      shared.node,
      shared.drivers.staging,
      'publish-ok-does-nothing',
      heal,
    );
    assert.equal(attempts.length, 1, attempts.join('\n'));
    assert.match(attempts[0] ?? '', /^remount: undone: s3\.csi\.test answered OK and mounted nothing/);
    assert.equal(code, 4);
    await assertAsBefore();
  });

  it('that fails to publish: its own words, and undone', async () => {
    const words = 'the bucket is on fire';
    const { code, attempts } = await withFault(
      shared.node,
      shared.drivers.staging,
      'publish-fails',
      heal,
      words,
    );
    assert.equal(attempts.length, 1, attempts.join('\n'));
    assert.match(attempts[0] ?? '', new RegExp(`^remount: undone: .*${words}`));
    assert.equal(code, 4);
    await assertAsBefore();
  });

  it('that says it is not ready: nothing is touched', async () => {
    const healed = await withFault(shared.node, shared.drivers.staging, 'probe-fails', heal);
    await assertRefused(healed, /s3\.csi\.test does not answer: .*restart it first/);
  });

  it('that is mute: refused, and the restart is named', async () => {
    const healed = await withFault(shared.node, shared.drivers.staging, 'mute', heal);
    await assertRefused(
      healed,
      /does not answer: .*restart it first: kubectl csi restart s3\.csi\.test --node node-1.*kubectl -n csi delete pod s3-csi-test-/,
    );
  });

  it('whose node plugin is missing: refused, and what to do first', async () => {
    const { cluster, node, drivers } = shared;
    await cluster.kubectl(['label', 'node', node.name, `${excludedLabel(drivers.staging.spec.name)}=true`]);
    try {
      const gone = async () => (await drivers.staging.podOn(node)) === undefined;
      await waitUntil('the node plugin to be gone', gone);
      await assertRefused(await heal(), /no node plugin pod of it runs here; bring it to node-1 first/);
    } finally {
      await cluster.kubectl(['label', 'node', node.name, `${excludedLabel(drivers.staging.spec.name)}-`]);
    }
    await waitPluginReady({ cluster, node, driver: drivers.staging });
    await drivers.staging.waitRegistered([node]);
  });

  it('and once it does, the app reads and writes again, with no restart', async () => {
    const { code, attempts, stdout } = await heal();
    const healedAt = Date.now();
    assert.equal(code, 0, [...attempts, stdout].join('\n'));
    await scene.waitWell(healedAt);
    await scene.assertStored();
    await assertCleanDisk(shared.node);
    const pod = (await scene.statuses()).get('app');
    assert.equal(pod?.status.containerStatuses?.[0]?.restartCount, 0);
  });

  it('tells the pod in events what failed and what worked', async () => {
    const events = await podEvents(scene, 'app');
    const failed = events.filter(({ reason }) => reason === 'CSIMountRecoveryFailed');
    assert.ok(failed.some(({ message }) => message.includes('the bucket is on fire')));
    assert.ok(failed.every(({ type }) => type === 'Warning'));
    const last = events.at(-1);
    assert.equal(`${last?.type} ${last?.reason}`, 'Normal CSIMountRecovered', JSON.stringify(events));
  });
});
