import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { parse } from 'yaml';
import { findIncident, waitUntil } from '../../cluster/index.ts';
import { assertNothingLeft } from './support/cluster-state.ts';
import { csi, csiJson, startCsi } from './support/csi.ts';
import { causes, type StatusDocument } from './support/documents.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

describe('status', function () {
  this.timeout(120_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
  });

  it('is 0 for a healthy cluster, with and without a look at the nodes', async () => {
    const { cluster } = shared;
    for (const args of [['status'], ['status', '--deep']]) {
      const { code, doc, stderr } = await csiJson<StatusDocument>(cluster, args);
      assert.deepEqual(
        doc.rows.map(({ node, driver, verdict }) => `${node} ${driver} ${verdict}`),
        [
          'node-1 bind.csi.test ok',
          'node-1 neighbour.csi.test ok',
          'node-2 bind.csi.test ok',
          'node-2 neighbour.csi.test ok',
        ],
      );
      assert.equal(code, 0, stderr);
    }
    await assertNothingLeft(cluster);
  });

  it('is 1 while a driver is missing, by what the API server alone knows', async () => {
    const { cluster, node, driver } = shared;
    const undo = await findIncident('lost-event').apply(cluster, node, driver);
    try {
      const { code, doc } = await csiJson<StatusDocument>(cluster, ['status']);
      assert.deepEqual(causes(doc.diagnosis), ['registration-lost: not-looked']);
      const row = doc.rows.find((each) => each.node === node.name && each.driver === driver.spec.name);
      assert.deepEqual([row?.kubelet, row?.csiNode, row?.verdict], [false, false, 'error']);
      assert.equal(code, 1);
      const elsewhere = await csi(cluster, ['status', '--driver', shared.neighbour.spec.name]);
      assert.equal(elsewhere.code, 0, `another driver is not this one's business: ${elsewhere.stdout}`);
      const names = await csi(cluster, ['status', '-o', 'name']);
      assert.match(names.stdout, /^registration-lost\/node-1\/bind\.csi\.test\/csi\/bind-csi-test-\w+$/m);
    } finally {
      await undo();
    }
  });

  it('prints a table within 100 columns, and wide, yaml and names', async () => {
    const { cluster } = shared;
    const table = await csi(cluster, ['status', '--deep']);
    const long = table.stdout.split('\n').filter((line) => line.length > 100);
    assert.deepEqual(long, []);
    assert.match(table.stdout, /^NODE +DRIVER +REGISTERED +SOCKET +PLUGIN +VOLUMES +VERDICT/);
    assert.match((await csi(cluster, ['status', '-o', 'wide'])).stdout, /^NODE +DRIVER +KUBELET +CSINODE/);
    const document: StatusDocument = parse((await csi(cluster, ['status', '-o', 'yaml'])).stdout);
    assert.equal(document.rows.length, 4);
    assert.equal((await csi(cluster, ['status', '-o', 'name'])).stdout.trim(), '');
  });

  it('--watch prints again, sees the change, and ends at Ctrl-C with what it saw last', async () => {
    const { cluster, node, driver } = shared;
    const watching = startCsi(cluster, ['status', '--watch', '--interval', '200ms']);
    const times = (pattern: RegExp) => [...watching.printed().matchAll(pattern)].length;
    await waitUntil('two tables', async () => times(/^NODE/gm) >= 2);
    const undo = await findIncident('lost-event').apply(cluster, node, driver);
    try {
      await waitUntil('the finding', async () => times(/registration-lost/g) > 0);
    } finally {
      await undo();
    }
    const seen = times(/^NODE/gm);
    await waitUntil('one more table after it was healed', async () => times(/^NODE/gm) > seen + 1);
    watching.child.kill('SIGINT');
    const { code, took } = await watching.ended;
    assert.ok([0, 130].includes(code), `code ${code} after ${took} ms`);
  });

  it('is 3 for a node whose kubelet is stopped, in time, and true for the others', async () => {
    const { cluster, node } = shared;
    await node.stopKubelet();
    try {
      for (const deep of [[], ['--deep']]) {
        const args = ['status', ...deep, '--node-timeout', '5s'];
        const { code, doc, took } = await csiJson<StatusDocument>(cluster, args);
        assert.equal(code, 3, args.join(' '));
        assert.ok(took < 20_000, `${args.join(' ')} took ${took} ms`);
        const verdicts = doc.rows.map((row) => `${row.node} ${row.driver} ${row.verdict}`);
        assert.deepEqual(verdicts, [
          'node-1 bind.csi.test unknown',
          'node-1 neighbour.csi.test unknown',
          'node-2 bind.csi.test ok',
          'node-2 neighbour.csi.test ok',
        ]);
        assert.deepEqual(
          [...new Set(doc.diagnosis.blindSpots.map(({ subject }) => subject.node))],
          [node.name],
        );
      }
      const { stdout } = await csi(cluster, ['status', '--node-timeout', '5s']);
      assert.match(stdout, /^node-1 +bind\.csi\.test +<unknown> +ready +<unknown> +<unknown>$/m);
      assert.match(stdout.replaceAll(/\s+/g, ' '), /<unknown> node-1: kubelet gave no answer in \d+ s/);
    } finally {
      await node.continueKubelet();
    }
    await assertNothingLeft(cluster);
  });
});
