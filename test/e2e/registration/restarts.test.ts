import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { driversOf, findIncident, removeObjects, waitUntil } from '../../cluster/index.ts';
import { assertNothingLeft, assertRegistered, heldSockets, nodeEvents } from './support/cluster-state.ts';
import { csiJson } from './support/csi.ts';
import { cures, type HealDocument, refusalsOf } from './support/documents.ts';
import { setHiddenImmutable } from './support/hidden-folder.ts';
import { oneContainerPlugin } from './support/one-container.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

describe('repairs that restart something', function () {
  this.timeout(120_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
  });

  it('restart kubelet only when nothing gentler works, and only when that is allowed', async () => {
    const { cluster, node, driver } = shared;
    const undo = await findIncident('orphaned-watch').apply(cluster, node, driver);
    try {
      await setHiddenImmutable(node, true);
      const pid = await node.kubeletPid();
      const safe = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name]);
      assert.match(cures(safe.doc).join('\n'), /^announce-hidden: undone: .*(EPERM|not permitted)/);
      assert.equal(safe.code, 4, safe.stdout);
      assert.equal(await node.kubeletPid(), pid);

      const barred = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name, ...disruptive]);
      assert.match(barred.stdout, /a restart would lose neighbour\.csi\.test/);
      assert.equal(await node.kubeletPid(), pid);

      const forced = [...disruptive, '--force'];
      const allowed = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name, ...forced]);
      assert.match(cures(allowed.doc).join('\n'), /^announce-hidden: undone: .*\nrestart-kubelet$/);
      assert.equal(allowed.code, 0, allowed.stdout);
      assert.notEqual(await node.kubeletPid(), pid);
      await assertRegistered(cluster, node, driver);
      assert.match(
        (await nodeEvents(cluster, node)).at(-1)?.message ?? '',
        /^repaired by restart-kubelet; it was: bind\.csi\.test/,
      );
    } finally {
      await setHiddenImmutable(node, false);
      await undo();
    }
    await assertNothingLeft(cluster);
  });

  it('restart kubelet, and announce nothing, where the registry was replaced', async () => {
    const { cluster, node, driver, neighbour } = shared;
    const undo = await findIncident('replaced-directory').apply(cluster, node, driver);
    try {
      const allowed = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name, ...disruptive]);
      assert.deepEqual(cures(allowed.doc), ['restart-kubelet'], allowed.stdout);
      assert.equal(allowed.code, 0, allowed.stdout);
      await assertRegistered(cluster, node, driver);
      await assertRegistered(cluster, node, neighbour);
    } finally {
      await undo();
    }
    await assertNothingLeft(cluster);
  });

  it("restart the registrar's container, and no other, where --max-risk allows it", async () => {
    const { cluster, node, driver, app } = shared;
    await loseSocket(shared);
    const before = await containerRestarts(shared);
    const safe = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name]);
    assert.deepEqual(words(safe.doc), ['restart-registrar: needs --max-risk disruptive']);
    assert.equal(safe.code, 1, safe.stdout);
    assert.deepEqual(await containerRestarts(shared), before);

    const allowed = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name, ...disruptive]);
    assert.deepEqual(cures(allowed.doc), ['restart-registrar'], allowed.stdout);
    assert.equal(allowed.code, 0, allowed.stdout);
    await assertRegistered(cluster, node, driver);
    const { driver: plugin, registrar = 0 } = before;
    assert.deepEqual(await containerRestarts(shared), { driver: plugin, registrar: registrar + 1 });
    await app.waitReady();
    await assertNothingLeft(cluster);
  });

  it('refuse to end a container that is registrar and driver in one', async () => {
    const { cluster, node } = shared;
    const pod = oneContainerPlugin('both.csi.test', node);
    await cluster.apply([pod]);
    try {
      const socket = `${node.kubeletRoot}/plugins_registry/both.csi.test-reg.sock`;
      await waitUntil('both.csi.test', async () => (await heldSockets(cluster, node)).includes(socket));
      await node.run(['rm', socket]);
      await waitUntil(
        'kubelet to let it go',
        async () => !(await heldSockets(cluster, node)).includes(socket),
      );
      const { code, doc, stdout } = await csiJson<HealDocument>(cluster, [
        'heal',
        '--node',
        node.name,
        ...disruptive,
      ]);
      assert.match(
        words(doc).join('\n'),
        /^restart-registrar: registrar and driver of both\.csi\.test share one container/,
        stdout,
      );
      assert.equal(code, 1);
    } finally {
      await removeObjects(cluster, [pod]);
    }
    await waitUntil(
      'its entry to go',
      async () => !(await driversOf(cluster, node)).includes('both.csi.test'),
    );
  });
});

const disruptive = ['--max-risk', 'disruptive'];
const words = (doc: HealDocument) => refusalsOf(doc).map(({ why }) => why);

/** The registration socket vanishes while its registrar runs: kubelet lets the driver go; nothing can be announced. */
async function loseSocket({ node, driver }: Shared): Promise<void> {
  await node.run(['rm', driver.registrySocket]);
  await waitUntil('kubelet to let the driver go', async () => !(await driver.isRegistered(node)));
}

interface Pod {
  readonly status: {
    readonly containerStatuses: readonly { readonly name: string; readonly restartCount: number }[];
  };
}

async function containerRestarts({ cluster, node, driver }: Shared): Promise<Record<string, number>> {
  const name = (await driver.podOn(node)) ?? '';
  const { status } = await cluster.kubectlJson<Pod>(['get', 'pod', '-n', driver.spec.namespace, name]);
  return Object.fromEntries(status.containerStatuses.map((each) => [each.name, each.restartCount]));
}
