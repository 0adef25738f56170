import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { driverImage } from '../../cluster/images/names.ts';
import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployDriver,
  findIncident,
  startCluster,
  startRegistry,
} from '../../cluster/index.ts';
import { assertNothingLeft, assertRegistered } from '../../e2e/registration/support/cluster-state.ts';
import { csiJson } from '../../e2e/registration/support/csi.ts';
import { cures, type DoctorDocument, type HealDocument } from '../../e2e/registration/support/documents.ts';

/** From 1.35 on kubelet gives a pulled image only to pods with the Secret that it was pulled with (KEP-2535). */
describe('Kubernetes 1.36', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let node: ClusterNode;
  let driver: DeployedDriver;

  before(async function () {
    this.timeout(1_800_000); // the first start builds this version of Kubernetes
    cluster = await startCluster({ nodes: 1, kubeVersion: 'v1.36.3' }, console.error);
    node = cluster.node('node-1');
    driver = await deployPulled(cluster);
  });
  after(() => cluster?.stop());

  for (const [incident, repair] of [
    ['lost-event', 'announce'],
    ['orphaned-watch', 'announce-hidden'],
  ] as const)
    it(`${incident} is healed by ${repair}, in a pod with the node plugin's image and pull secret`, async () => {
      const undo = await findIncident(incident).apply(cluster, node, driver);
      try {
        const { code, doc, stdout, stderr } = await csiJson<HealDocument>(cluster, [
          'heal',
          '--node',
          node.name,
        ]);
        assert.deepEqual(cures(doc), [repair], `${stdout}${stderr}`);
        assert.equal(code, 0, stdout);
        await assertRegistered(cluster, node, driver);
        await assertNothingLeft(cluster);
      } finally {
        await undo();
      }
    });

  it('refuses the image to a pod without the secret, and says so', async () => {
    const args = ['doctor', '--image', driver.spec.image ?? driverImage, '--debug-namespace', 'default'];
    const { code, doc } = await csiJson<DoctorDocument>(cluster, args);
    assert.match(doc.diagnosis.blindSpots[0]?.why ?? '', /ErrImageNeverPull|ErrImagePull/);
    assert.equal(code, 3);
  });
});

/** A driver whose image the node has pulled from a registry with a login. */
async function deployPulled(cluster: Cluster): Promise<DeployedDriver> {
  const registry = await startRegistry(cluster);
  const image = await registry.push(driverImage);
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'csi' } },
    registry.pullSecret('csi', 'login'),
  ]);
  const driver = await deployDriver(cluster, {
    name: 'pulled.csi.test',
    mode: 'none',
    image,
    imagePullSecrets: [{ name: 'login' }],
  });
  await driver.waitRegistered();
  return driver;
}
