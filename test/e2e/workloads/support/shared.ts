import { after } from 'mocha';
import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployDriver,
  startCluster,
} from '../../../cluster/index.ts';
import { driver as driverName } from './manifests.ts';

/** One node, and a driver whose FUSE daemons are children of its node plugin. */
export interface Shared {
  readonly cluster: Cluster;
  readonly node: ClusterNode;
  readonly driver: DeployedDriver;
}

let starting: Promise<Shared> | undefined;

/** The one cluster of this folder's tests. It starts when it is first asked for and ends after the last test. */
export function sharedCluster(): Promise<Shared> {
  starting ??= start();
  return starting;
}

after(async function () {
  this.timeout(120_000);
  await (await starting?.catch(() => undefined))?.cluster.stop();
});

async function start(): Promise<Shared> {
  const cluster = await startCluster({ nodes: 1 }, console.error);
  try {
    const driver = await deployDriver(cluster, {
      name: driverName,
      mode: 'fuse-s3',
      driverArgs: ['--staging'],
    });
    await driver.waitRegistered();
    return { cluster, node: cluster.node('node-1'), driver };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
