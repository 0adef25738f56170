import {
  type Cluster,
  type ClusterNode,
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
} from '../../../cluster/index.ts';
import { shareCluster } from '../../../support/share-cluster.ts';

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

/** The one cluster of this folder's tests. */
export const sharedCluster = shareCluster(2, async (cluster): Promise<Shared> => {
  const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
  const neighbour = await deployDriver(cluster, { name: 'neighbour.csi.test', mode: 'none' });
  await Promise.all([driver.waitRegistered(), neighbour.waitRegistered()]);
  const node = cluster.node('node-1');
  const app = await deployApp(cluster, { name: 'app', driver: driver.spec.name, node: node.name });
  await app.waitReady();
  return { cluster, node, otherNode: cluster.node('node-2'), driver, neighbour, app };
});
