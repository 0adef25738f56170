import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { findIncident } from '../../cluster/index.ts';
import {
  assertNothingLeft,
  assertRegistered,
  nodeEvents,
  ownObjects,
  watchRegistrations,
} from './support/cluster-state.ts';
import { csi, csiJson, kubectlCsi, startCsi } from './support/csi.ts';
import { cures, type HealDocument } from './support/documents.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

describe('heal beside healthy drivers and beside other healers', function () {
  this.timeout(120_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
  });

  const loseDriver = () => findIncident('lost-event').apply(shared.cluster, shared.node, shared.driver);

  it('is found by kubectl as a plugin, and passes its exit code on', async () => {
    const { code, stdout, stderr } = await kubectlCsi(shared.cluster, ['status']);
    assert.match(stdout, /^node-1 +bind\.csi\.test +yes +ready +1 +ok$/m, stderr);
    assert.equal(code, 0);
    assert.equal((await kubectlCsi(shared.cluster, ['status', '--node', 'nowhere'])).code, 2);
  });

  it('does nothing on a healthy cluster, and neither does rescan', async () => {
    const { cluster, node, driver, neighbour } = shared;
    const assertUntouched = await watchRegistrations(cluster, [driver, neighbour]);
    const events = (await nodeEvents(cluster, node)).length;
    for (const args of [
      ['heal', '--all'],
      ['rescan', '--all'],
      ['rescan', driver.spec.name, '--node', node.name],
    ]) {
      const { code, doc, stdout, stderr } = await csiJson<HealDocument>(cluster, args);
      assert.equal(doc.kind, 'Plan');
      assert.deepEqual(doc.plan, { version: 1, maxRisk: 'safe', steps: [], refusals: [] });
      assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    }
    await assertUntouched();
    assert.equal((await nodeEvents(cluster, node)).length, events);
    await assertNothingLeft(cluster);
  });

  it('changes nothing in a dry run, and prints what it would do', async () => {
    const { cluster, node, driver, neighbour } = shared;
    const undo = await loseDriver();
    try {
      const assertUntouched = await watchRegistrations(cluster, [driver, neighbour]);
      const { code, doc } = await csiJson<HealDocument>(cluster, ['heal', '--dry-run']);
      const rungs = doc.plan?.steps.flatMap((step) => step.rungs) ?? [];
      assert.deepEqual(
        rungs.map(({ repair, barred }) => [repair, barred]),
        [
          ['announce', undefined],
          ['restart-registrar', 'needs --max-risk disruptive'],
          ['restart-kubelet', 'needs --max-risk disruptive'],
        ],
      );
      assert.equal(code, 1);
      await assertUntouched();
      await assertNothingLeft(cluster);
    } finally {
      await undo();
    }
    await assertRegistered(cluster, node, driver);
  });

  it('rescan brings back what is missing and touches nothing else', async () => {
    const { cluster, node, driver, neighbour } = shared;
    const undo = await loseDriver();
    try {
      const assertUntouched = await watchRegistrations(cluster, [neighbour]);
      const { code, doc, stdout } = await csiJson<HealDocument>(cluster, [
        'rescan',
        driver.spec.name,
        '--all',
      ]);
      assert.deepEqual(cures(doc), ['announce'], stdout);
      assert.equal(code, 0, stdout);
      await assertRegistered(cluster, node, driver);
      await assertUntouched();
    } finally {
      await undo();
    }
  });

  it('admits one healer a node; the other one says who is at work', async () => {
    const { cluster, node, driver } = shared;
    const undo = await loseDriver();
    try {
      const healers = [1, 2].map(() => startCsi(cluster, ['heal', '--node', node.name, '-o', 'json']));
      const results = await Promise.all(healers.map(({ ended }) => ended));
      const attempts = results.flatMap(({ stdout }) => {
        const { outcome } = JSON.parse(stdout) as HealDocument;
        return outcome?.steps.flatMap((step) => step.attempts) ?? [];
      });
      const acted = attempts.filter(({ result }) => result === 'repaired');
      const others = attempts.filter(({ result }) => result !== 'repaired');
      assert.deepEqual(
        acted.map(({ repair }) => repair),
        ['announce'],
        JSON.stringify(attempts),
      );
      for (const { result, detail } of others)
        assert.match(
          `${result}: ${detail}`,
          /^(refused: lease kubectl-csi-node-1 is held by \S+ on \S+, run |gone: )/,
        );
      await assertRegistered(cluster, node, driver);
    } finally {
      await undo();
    }
    await assertNothingLeft(cluster);
  });

  it('waits for no lease of a healer that is at work: it refuses, names it, and works once the lease is gone', async () => {
    const { cluster, node } = shared;
    const undo = await loseDriver();
    try {
      await cluster.apply([leaseOf(node.name, 'alice on laptop/1/1, run 0123456789')]);
      const args = ['heal', '--node', node.name];
      const refused = await csi(cluster, args);
      assert.match(refused.stdout, /not done/);
      assert.match(
        refused.stdout.replaceAll(/\s+/g, ' '),
        /lease kubectl-csi-node-1 is held by alice on laptop\/1\/1, run 0123456789 since/,
      );
      assert.equal(refused.code, 1);
      assert.deepEqual(await ownObjects(cluster), ['Lease kube-system/kubectl-csi-node-1']);
      await cluster.kubectl(['delete', 'lease', '-n', 'kube-system', `kubectl-csi-${node.name}`]);
      assert.equal((await csi(cluster, args)).code, 0);
    } finally {
      await undo();
    }
    await assertNothingLeft(cluster);
  });

  it('takes the lease of a healer over that has died, when it has run out', async () => {
    const { cluster, node } = shared;
    const undo = await loseDriver();
    try {
      await cluster.apply([leaseOf(node.name, 'bob on laptop/1/1, run 0123456789', -60_000)]);
      const healed = await csi(cluster, ['heal', '--node', node.name]);
      assert.equal(healed.code, 0, healed.stdout);
    } finally {
      await undo();
    }
    await assertNothingLeft(cluster);
  });
});

/** @param age milliseconds; negative for the past */
function leaseOf(node: string, holder: string, age = 0): object {
  const time = new Date(Date.now() + age).toISOString().replace('Z', '000Z');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: `kubectl-csi-${node}`,
      namespace: 'kube-system',
      labels: { 'app.kubernetes.io/managed-by': 'kubectl-csi' },
    },
    spec: { holderIdentity: holder, leaseDurationSeconds: 30, acquireTime: time, renewTime: time },
  };
}
