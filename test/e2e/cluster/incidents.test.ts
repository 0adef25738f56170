import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployDriver,
  findIncident,
  startCluster,
  waitUntil,
} from '../../cluster/index.ts';

/** What is to be seen while an incident lasts: whether CSINode lists the driver, and a line of kubelet's log. */
const effects: Record<string, { readonly registered: boolean; readonly log?: RegExp }> = {
  'lost-event': { registered: false, log: /queue or buffer overflow/ },
  'orphaned-watch': { registered: false },
  'replaced-directory': { registered: false },
  'no-watch': { registered: false, log: /too many open files/ },
  'stale-socket': { registered: true, log: /connection refused/ },
  'driver-mute': { registered: true },
  'registrar-mute': { registered: true },
  'csi-socket-in-registry': { registered: true, log: /unknown service pluginregistration/ },
  'wrong-root': { registered: false },
  'tainted-node': { registered: false },
  'crashed-plugin': { registered: true },
  'private-root': { registered: false },
  'duplicate-name': { registered: true },
};

describe('incidents of registration', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let node: ClusterNode;
  let driver: DeployedDriver;

  before(async () => {
    cluster = await startCluster({ nodes: 1 }, console.error);
    node = cluster.node('node-1');
    driver = await deployDriver(cluster, { name: 'bind.csi.test' });
    await driver.waitRegistered();
  });
  after(() => cluster?.stop());

  const waitForLog = (line: RegExp, since: number) =>
    waitUntil(`kubelet to log ${line}`, async () => line.test((await node.kubeletLog(since)).text));

  for (const [id, effect] of Object.entries(effects)) {
    it(`${id} takes effect and is undone`, async () => {
      const { end } = await node.kubeletLog();
      const undo = await findIncident(id).apply(cluster, node, driver);
      try {
        assert.equal(await driver.isRegistered(node), effect.registered);
        if (effect.log) await waitForLog(effect.log, end);
      } finally {
        await undo();
      }
      assert.equal(await driver.isRegistered(node), true);
    });
  }
});
