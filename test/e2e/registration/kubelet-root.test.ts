import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import {
  type Cluster,
  type DeployedDriver,
  deployDriver,
  findIncident,
  startCluster,
} from '../../cluster/index.ts';
import { assertNothingLeft, assertRegistered } from './support/cluster-state.ts';
import { csi, csiJson } from './support/csi.ts';
import { causes, cures, type DoctorDocument, type HealDocument } from './support/documents.ts';

const kubeletRoot = '/var/snap/microk8s/common/var/lib/kubelet';

describe('a kubelet with a root of its own', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let driver: DeployedDriver;

  before(async function () {
    this.timeout(900_000);
    cluster = await startCluster({ nodes: 1, kubeletRoot }, console.error);
    driver = await deployDriver(cluster, { name: 'bind.csi.test' });
    await driver.waitRegistered();
  });
  after(() => cluster?.stop());

  it('is healed where it lives', async () => {
    const node = cluster.node('node-1');
    await findIncident('lost-event').apply(cluster, node, driver);
    const found = await csiJson<DoctorDocument>(cluster, ['doctor']);
    assert.deepEqual(causes(found.doc.diagnosis), ['registration-lost: queue-overflow']);
    assert.equal(found.doc.diagnosis.findings[0]?.subject.socket, driver.registrySocket);
    const { code, doc, stdout } = await csiJson<HealDocument>(cluster, ['heal', '--all']);
    assert.deepEqual(cures(doc), ['announce'], stdout);
    assert.equal(code, 0, stdout);
    await assertRegistered(cluster, node, driver);
    await assertNothingLeft(cluster);
  });

  it('is nothing to look at once its node has left the cluster', async () => {
    assert.equal((await cluster.kubectl(['delete', 'node', 'node-1'])).code, 0);
    const { code, stdout, stderr } = await csi(cluster, ['status']);
    assert.match(stderr, /^error: the cluster has no nodes\nCheck with kubectl config current-context/);
    assert.equal(stdout, '');
    assert.equal(code, 2);
  });
});
