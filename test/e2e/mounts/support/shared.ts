import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  type DriverSpec,
  deployDriver,
} from '../../../cluster/index.ts';
import { shareCluster } from '../../../support/share-cluster.ts';

/** Two nodes, and one FUSE driver of each class. Every FUSE daemon is a child of its node plugin. */
export interface Shared {
  readonly cluster: Cluster;
  readonly node: ClusterNode;
  readonly otherNode: ClusterNode;
  readonly drivers: Readonly<Record<DriverClass, DeployedDriver>>;
}

export type DriverClass = 'staging' | 'plain' | 'group';

const onFirstNode = { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } };

const specs: Readonly<Record<DriverClass, DriverSpec>> = {
  staging: { name: 's3.csi.test', driverArgs: ['--staging'], csiDriver: { podInfoOnMount: true } },
  plain: { name: 'plain.csi.test', ...onFirstNode },
  group: {
    name: 'group.csi.test',
    driverArgs: ['--staging', '--volume-mount-group'],
    csiDriver: { fsGroupPolicy: 'File', requiresRepublish: true },
    ...onFirstNode,
  },
};

/** The one cluster of this folder's tests. */
export const sharedCluster = shareCluster(2, async (cluster): Promise<Shared> => {
  const deploy = (spec: DriverSpec) => deployDriver(cluster, { mode: 'fuse-s3', ...spec });
  const staging = await deploy(specs.staging);
  const plain = await deploy(specs.plain);
  const group = await deploy(specs.group);
  const node = cluster.node('node-1');
  await Promise.all([staging.waitRegistered(), plain.waitRegistered([node]), group.waitRegistered([node])]);
  return { cluster, node, otherNode: cluster.node('node-2'), drivers: { staging, plain, group } };
});
