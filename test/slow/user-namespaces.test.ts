import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { type DeployedApp, deployApp, deployDriver, findIncident, waitUntil } from '../cluster/index.ts';
import { csi } from '../e2e/registration/support/csi.ts';
import { shareCluster } from '../support/share-cluster.ts';

const driverName = 's3.csi.test';

/** A node whose runtime gives pods user namespaces: their volumes are id-mapped mounts. */
const scene = shareCluster(
  1,
  async (cluster) => {
    const driver = await deployDriver(cluster, {
      name: driverName,
      mode: 'fuse-s3',
      driverArgs: ['--staging'],
    });
    await driver.waitRegistered();
    return { cluster, node: cluster.node('node-1'), driver };
  },
  { runtime: 'current' },
);

describe('a dead volume of a pod with a user namespace of its own (hostUsers: false)', function () {
  this.timeout(900_000);
  const app = (name: string, mount: Record<string, unknown> = {}) => ({
    name,
    driver: driverName,
    node: 'node-1',
    csi: { volumeAttributes: { idmapped: 'true' } },
    pod: { hostUsers: false },
    mount,
  });
  let apps: readonly DeployedApp[];

  before(async () => {
    const { cluster, node, driver } = await scene();
    apps = [
      await deployApp(cluster, app('whole')),
      await deployApp(cluster, app('sub', { subPath: 'below' })),
      await deployApp(cluster, app('slave', { mountPropagation: 'HostToContainer' })),
    ];
    for (const each of apps) await each.waitReady();
    await findIncident('dead-mounts').apply(cluster, node, driver);
  });

  const read = async (each: DeployedApp, ...command: string[]) => (await each.exec(command)).stdout.trim();

  it('is dead, and remount brings it back without a restart', async () => {
    const { cluster } = await scene();
    for (const each of apps) assert.match(await each.lastLine(), /^failed/, each.spec.name);
    const { code, stdout, stderr } = await csi(cluster, ['remount', '--node', 'node-1']);
    assert.equal(code, 0, stdout + stderr);
    for (const each of apps)
      await waitUntil(`${each.spec.name} to write again`, async () =>
        (await each.lastLine()).startsWith('ok'),
      );
    const restarts = ['get', 'pods', '-o=jsonpath={.items[*].status.containerStatuses[0].restartCount}'];
    assert.equal((await cluster.kubectl(restarts)).stdout.trim(), '0 0 0');
  });

  it('is id-mapped as before: root of the pod is the owner of its files, and root of the node is not the pod', async () => {
    for (const each of apps) {
      assert.equal(await read(each, 'stat', '-c', '%u', '/data/log'), '0', each.spec.name);
      assert.match(await read(each, 'grep', ' /data ', '/proc/self/mountinfo'), /idmapped/);
      assert.doesNotMatch(await read(each, 'cat', '/proc/self/uid_map'), /^\s*0\s+0\s/);
    }
  });
});
