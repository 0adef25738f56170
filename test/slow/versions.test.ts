import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import {
  type Cluster,
  deployApp,
  deployDriver,
  driverImage,
  startCluster,
  startRegistry,
  waitUntil,
} from '../cluster/index.ts';

for (const kubeVersion of ['v1.36.3', 'v1.37.2']) {
  describe(`a cluster of Kubernetes ${kubeVersion}`, function () {
    this.timeout(1_800_000);
    let cluster: Cluster;

    before(async () => {
      cluster = await startCluster({ nodes: 1, kubeVersion }, console.error);
    });
    after(() => cluster?.stop());

    it('mounts volumes of a driver whose image was pulled with a Secret', async () => {
      const registry = await startRegistry(cluster);
      const image = await registry.push(driverImage);
      await cluster.apply([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'csi' } },
        registry.pullSecret('csi', 'login'),
      ]);
      const imagePullSecrets = [{ name: 'login' }];
      const driver = await deployDriver(cluster, { name: 'bind.csi.test', image, imagePullSecrets });
      await driver.waitRegistered();
      const app = await deployApp(cluster, { name: 'app', driver: 'bind.csi.test', node: 'node-1' });
      await app.waitReady();
    });

    it('refuses that image to a pod without the Secret', async () => {
      const image = `${new URL(cluster.s3.endpoint).hostname}:5000/csi-driver:1`;
      const spec = { nodeName: 'node-1', containers: [{ name: 'c', image, imagePullPolicy: 'Never' }] };
      await cluster.apply([
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'other', namespace: 'default' }, spec },
      ]);
      const reason = '-o=jsonpath={.status.containerStatuses[0].state.waiting.reason}';
      const waiting = async () => (await cluster.kubectl(['get', 'pod', 'other', reason])).stdout;
      await waitUntil('the image to be refused', async () => (await waiting()) === 'ErrImageNeverPull', {
        describe: waiting,
      });
      assert.equal(await waiting(), 'ErrImageNeverPull');
    });
  });
}
