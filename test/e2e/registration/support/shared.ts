import { after } from 'mocha';
import {
  type Cluster,
  type ClusterNode,
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
  startCluster,
} from '../../../cluster/index.ts';

/** Two nodes; a driver that the tests break on the first one, and one beside it that nobody may touch. */
export interface Shared {
  readonly cluster: Cluster;
  readonly node: ClusterNode;
  readonly otherNode: ClusterNode;
  /** The driver that incidents befall. */
  readonly driver: DeployedDriver;
  /** Stays healthy on both nodes all the time. */
  readonly neighbour: DeployedDriver;
  /** A pod on `node` that uses a volume of `driver`. */
  readonly app: DeployedApp;
}

let starting: Promise<Shared> | undefined;

/** The one cluster of this folder's tests. It starts when it is first asked for and ends after the last test. */
export function sharedCluster(): Promise<Shared> {
  starting ??= start();
  return starting;
}

after(async function () {
  this.timeout(60_000);
  await (await starting?.catch(() => undefined))?.cluster.stop();
});

async function start(): Promise<Shared> {
  const cluster = await startCluster({ nodes: 2 }, console.error);
  try {
    return await populate(cluster);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function populate(cluster: Cluster): Promise<Shared> {
  const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
  const neighbour = await deployDriver(cluster, { name: 'neighbour.csi.test', mode: 'none' });
  await Promise.all([driver.waitRegistered(), neighbour.waitRegistered()]);
  const node = cluster.node('node-1');
  const app = await deployApp(cluster, { name: 'app', driver: driver.spec.name, node: node.name });
  await app.waitReady();
  return { cluster, node, otherNode: cluster.node('node-2'), driver, neighbour, app };
}
