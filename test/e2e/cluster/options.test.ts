import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Cluster, deployApp, deployDriver, startCluster } from '../../cluster/index.ts';

const kubeletRoot = '/var/snap/microk8s/common/var/lib/kubelet';

describe('a cluster with another kubelet root and a node under systemd', function () {
  this.timeout(120_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ nodes: 2, kubeletRoot, systemdNode: 1 }, console.error);
  });
  after(() => cluster?.stop());

  it('registers drivers and mounts volumes below that root', async () => {
    const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
    await driver.waitRegistered();
    for (const node of cluster.nodes) {
      const app = await deployApp(cluster, {
        name: `app-${node.name}`,
        driver: 'bind.csi.test',
        node: node.name,
      });
      await app.waitReady();
      const mounts = await node.run(['cat', '/proc/1/mountinfo']);
      assert.match(
        mounts.stdout,
        new RegExp(`${kubeletRoot}/pods/[^ ]*/kubernetes.io~csi/app-${node.name}/mount`),
      );
      assert.equal((await node.run(['test', '-e', '/var/lib/kubelet/pods'])).code, 1);
    }
  });

  for (const [index, init] of ['runsvdir', 'systemd'].entries()) {
    it(`has ${init} as the first process of node ${index + 1}, which starts kubelet again`, async () => {
      const node = cluster.nodes[index];
      assert.ok(node);
      assert.equal((await node.run(['cat', '/proc/1/comm'])).stdout.trim(), init);
      const before = await node.kubeletPid();
      await node.restartKubelet();
      assert.notEqual(await node.kubeletPid(), before);
    });
  }

  it("has kubelet as systemd's unit", async () => {
    const node = cluster.node('node-2');
    const { stdout } = await node.run(['systemctl', 'show', '--property=MainPID,ActiveState', 'kubelet']);
    assert.match(stdout, /ActiveState=active/);
    const status = await node.run(['systemctl', 'restart', 'kubelet']);
    assert.equal(status.code, 0, status.stderr);
  });
});
