import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import {
  type Cluster,
  type ClusterNode,
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
  startCluster,
} from '../../cluster/index.ts';
import { assertNothingLeft, assertRegistered } from './support/cluster-state.ts';
import { csi, csiJson } from './support/csi.ts';
import { cures, type HealDocument } from './support/documents.ts';

const registry = '/var/lib/kubelet/plugins_registry';
const unit = '/etc/systemd/system/var-lib-kubelet-plugins_registry.mount';

/** node-1 runs kubelet under runit, node-2 under systemd, where the move must last over a reboot. */
describe('relocate', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let driver: DeployedDriver;
  let app: DeployedApp;

  before(async function () {
    this.timeout(900_000);
    cluster = await startCluster({ nodes: 2, systemdNode: 1 }, console.error);
    driver = await deployDriver(cluster, { name: 's3.csi.test', mode: 'fuse-s3' });
    await driver.waitRegistered();
    const command = ['/bin/io-app', '--interval=100ms', '--name=app', '/data'];
    app = await deployApp(cluster, { name: 'reader', driver: 's3.csi.test', node: 'node-1', command });
    await app.waitReady();
  });
  after(() => cluster?.stop());

  const fileSystem = async (node: ClusterNode) =>
    (await node.run(['stat', '-f', '-c', '%T', registry])).stdout.trim();
  const hasUnit = async (node: ClusterNode) => (await node.run(['test', '-f', unit])).code === 0;
  const failures = async () =>
    (await cluster.kubectl(['logs', 'reader'])).stdout
      .split('\n')
      .filter((line) => line.includes('"ok":false'));

  async function relocate(node: ClusterNode, ...more: string[]) {
    const { code, doc, stdout } = await csiJson<HealDocument>(cluster, [
      'relocate',
      '--node',
      node.name,
      ...more,
    ]);
    assert.equal(code, 0, stdout);
    await assertRegistered(cluster, node, driver);
    await assertNothingLeft(cluster);
    return cures(doc);
  }

  it('wants to know where', async () => {
    const { code, stderr } = await csi(cluster, ['relocate']);
    assert.equal(code, 2);
    assert.match(stderr, /Name a node with --node/);
  });

  it('prints what it would do, and does nothing', async () => {
    const { stdout } = await csi(cluster, ['relocate', '--node', 'node-2', '--dry-run']);
    assert.match(stdout, /mount a tmpfs over \/var\/lib\/kubelet\/plugins_registry/);
    assert.notEqual(await fileSystem(cluster.node('node-2')), 'tmpfs');
  });

  for (const [name, keeps] of [
    ['node-1', false],
    ['node-2', true],
  ] as const)
    it(`moves the registry of ${name} and takes it back, unseen by apps`, async () => {
      const node = cluster.node(name);
      const before = await fileSystem(node);
      assert.deepEqual(await relocate(node), ['relocate-registry']);
      assert.equal(await fileSystem(node), 'tmpfs');
      assert.equal(await hasUnit(node), keeps);
      const again = await csi(cluster, ['relocate', '--node', name]);
      assert.equal(again.code, 1);
      assert.match(again.stdout, /has a file system of its own already/);
      assert.deepEqual(await relocate(node, '--undo'), ['restore-registry']);
      assert.equal(await fileSystem(node), before);
      assert.equal(await hasUnit(node), false);
      assert.deepEqual(await failures(), []);
    });
});
