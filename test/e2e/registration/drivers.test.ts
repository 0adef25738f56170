import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { deployDriver, findIncident, waitFor, waitUntil } from '../../cluster/index.ts';
import { assertNothingLeft, assertRegistered, heldSockets } from './support/cluster-state.ts';
import { csiJson } from './support/csi.ts';
import { causes, cures, type DoctorDocument, type HealDocument, refusalsOf } from './support/documents.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

describe('drivers out of the ordinary', function () {
  this.timeout(120_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
  });

  const deploy = (name: string, registrarArgs: readonly string[]) =>
    deployDriver(shared.cluster, {
      name,
      mode: 'none',
      registrarArgs,
      nodeSelector: { 'kubernetes.io/hostname': shared.node.name },
    });
  const doctor = (driver: string) =>
    csiJson<DoctorDocument>(shared.cluster, ['doctor', '--node', shared.node.name, '--driver', driver]);
  const heal = () => csiJson<HealDocument>(shared.cluster, ['heal', '--node', shared.node.name]);

  /** kubelet refuses it, its registrar ends and starts again, with a growing pause: it answers at times. */
  it('a driver of CSI v0 is told from one that kubelet did not see', async () => {
    const driver = await deploy('v0.csi.test', ['--versions=v0.3.0']);
    try {
      const found = await waitFor(
        'doctor to meet the registrar',
        async () => {
          const { doc } = await doctor('v0.csi.test');
          const finding = doc.diagnosis.findings.find(({ rule }) => rule === 'csi-v0');
          return finding ? { done: finding } : { seen: causes(doc.diagnosis).join(', ') };
        },
        { timeoutMs: 100_000 },
      );
      assert.equal(found.reason, 'v0-only');
      assert.match(
        found.summary,
        /^v0\.csi\.test offers CSI version v0\.3\.0; kubelet v1\.34\.4 needs 1\.x$/,
      );
      assert.match(found.cure, /upgrade the driver/);
    } finally {
      await driver.remove();
    }
    // what its last end left
    await shared.node.run([
      'sh',
      '-c',
      `rm -f "$0"/v0.csi.test* "$0"/.v0.csi.test*`,
      `${shared.node.kubeletRoot}/plugins_registry`,
    ]);
  });

  it('a socket under a dot-name gets the name that kubelet sees', async () => {
    const { cluster, node } = shared;
    const driver = await deploy('dot.csi.test', ['--socket-name=.dot.csi.test-reg.sock']);
    try {
      const rollout = ['rollout', 'status', '-n', 'csi', 'daemonset/dot-csi-test', '--timeout=60s'];
      assert.equal((await cluster.kubectl(rollout)).code, 0, 'its containers are ready');
      await waitUntil('its socket', async () => {
        const { stdout } = await node.run(['ls', '-A', `${node.kubeletRoot}/plugins_registry`]);
        return stdout.includes('.dot.csi.test-reg.sock');
      });
      const found = await csiJson<DoctorDocument>(cluster, ['doctor', '--node', node.name]);
      assert.deepEqual(causes(found.doc.diagnosis), ['socket-convention: dot-name']);
      const { code, doc, stdout } = await heal();
      assert.deepEqual(cures(doc), ['restore-socket'], stdout);
      assert.equal(code, 0, stdout);
      await driver.waitRegistered([node]);
    } finally {
      await driver.remove();
    }
    await node.run(['rm', '-f', driver.registrySocket]);
    await waitUntil('its entry to go', async () => !(await driver.isRegistered(node)));
  });

  it('an entry of CSINode whose driver is gone is found by kubelet’s own list', async () => {
    await list(shared, 'gone.csi.test');
    try {
      const { doc, code } = await doctor('gone.csi.test');
      assert.deepEqual(causes(doc.diagnosis), [
        'forgotten-by-kubelet: plugin-gone',
        'plugin-missing: no-daemonset',
      ]);
      assert.equal(code, 1);
      const healed = await heal();
      assert.equal(healed.code, 1);
      const words = refusalsOf(healed.doc)
        .map(({ why }) => why)
        .join('\n');
      assert.match(words, /install the driver again, or remove what still refers to it/);
    } finally {
      await unlist(shared, 'gone.csi.test');
    }
  });

  it('a driver that CSINode lists and kubelet has lost is healed', async () => {
    const { cluster, node, driver } = shared;
    const undo = await findIncident('lost-event').apply(cluster, node, driver);
    try {
      await list(shared, driver.spec.name);
      const { doc } = await doctor(driver.spec.name);
      assert.deepEqual(causes(doc.diagnosis), ['registration-lost: queue-overflow']);
      assert.match(
        doc.diagnosis.findings[0]?.summary ?? '',
        /kubelet does not hold bind\.csi\.test, though CSINode lists it/,
      );
      const healed = await heal();
      assert.deepEqual(cures(healed.doc), ['announce'], healed.stdout);
      await assertRegistered(cluster, node, driver);
    } finally {
      const held = await heldSockets(cluster, node);
      if (!held.includes(driver.registrySocket)) await unlist(shared, driver.spec.name);
      await undo();
    }
    await assertNothingLeft(cluster);
  });
});

interface CsiNode {
  readonly spec: { readonly drivers: readonly { readonly name: string }[] };
}

async function patch({ cluster, node }: Shared, operations: readonly object[]): Promise<void> {
  const args = ['patch', 'csinode', node.name, '--type=json', '-p', JSON.stringify(operations)];
  const { code, stderr } = await cluster.kubectl(args);
  assert.equal(code, 0, stderr);
}

/** Puts a driver into CSINode, as if kubelet had forgotten to take it out. */
const list = (shared: Shared, name: string) =>
  patch(shared, [
    { op: 'add', path: '/spec/drivers/-', value: { name, nodeID: shared.node.name, topologyKeys: null } },
  ]);

async function unlist(shared: Shared, driver: string): Promise<void> {
  const { spec } = await shared.cluster.kubectlJson<CsiNode>(['get', 'csinode', shared.node.name]);
  const at = spec.drivers.findIndex(({ name }) => name === driver);
  if (at >= 0) await patch(shared, [{ op: 'remove', path: `/spec/drivers/${at}` }]);
}
