import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import {
  type Cluster,
  type ClusterNode,
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
  findIncident,
  startCluster,
  waitUntil,
} from '../../cluster/index.ts';

describe('volumes over FUSE', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let node: ClusterNode;
  let driver: DeployedDriver;
  let app: DeployedApp;

  before(async () => {
    cluster = await startCluster({ nodes: 1 }, console.error);
    node = cluster.node('node-1');
    driver = await deployDriver(cluster, { name: 's3.csi.test', mode: 'fuse-s3', driverArgs: ['--staging'] });
    await driver.waitRegistered();
    app = await deployApp(cluster, { name: 'app', driver: 's3.csi.test', node: 'node-1' });
    await app.waitReady();
  });
  after(() => cluster?.stop());

  const write = (text: string) => app.exec(['sh', '-c', `echo ${text} >/data/note`]);
  const waitStored = (text: string) =>
    waitUntil(`${text} in S3`, async () => (await cluster.s3.read('app/note'))?.trim() === text, {
      timeoutMs: 10_000,
    });

  it('keep in S3 what an app writes', async () => {
    assert.equal((await write('hello')).code, 0);
    await waitStored('hello');
    assert.ok((await cluster.s3.list('app/')).includes('app/note'));
  });

  it('dead-mounts kills them under the app, and is undone', async () => {
    const undo = await findIncident('dead-mounts').apply(cluster, node, driver);
    try {
      const { code, stderr } = await app.exec(['cat', '/data/note']);
      assert.notEqual(code, 0);
      assert.match(stderr, /not connected/);
    } finally {
      await undo();
    }
    assert.equal((await write('again')).code, 0);
    await waitStored('again');
  });

  it('hung-mount makes them answer nothing, and is undone', async () => {
    const mount = (
      await node.run(['findmnt', '-n', '-o', 'TARGET', '-t', 'fuse,fuse.csi-fuse'])
    ).stdout.split('\n')[0];
    assert.ok(mount);
    const statfs = () => node.run(['stat', '-f', mount], { timeoutMs: 2_000 });
    const undo = await findIncident('hung-mount').apply(cluster, node, driver);
    try {
      assert.equal((await statfs()).code, 124);
    } finally {
      await undo();
    }
    assert.equal((await statfs()).code, 0);
  });
});
