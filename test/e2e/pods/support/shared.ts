import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  type DriverSpec,
  deployDriver,
} from '../../../cluster/index.ts';
import { shareCluster } from '../../../support/share-cluster.ts';
import { namespace } from './objects.ts';

/** Three nodes, of which the last is there to be lost; and drivers, each with a fault or a class of its own. */
export interface Shared {
  readonly cluster: Cluster;
  readonly node: ClusterNode;
  readonly lostNode: ClusterNode;
  readonly drivers: Readonly<Record<keyof typeof specs, DeployedDriver>>;
}

const onFirstNode = { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } };

const specs = {
  bind: { name: 'bind.csi.test', csiDriver: { volumeLifecycleModes: ['Persistent'] } },
  /** Nobody attaches its volumes: no external-attacher runs here. */
  attach: { name: 'attach.csi.test', csiDriver: { attachRequired: true } },
  fuse: { name: 'fuse.csi.test', mode: 'fuse-s3', ...onFirstNode },
  limited: { name: 'limited.csi.test', driverArgs: ['--max-volumes=1'], ...onFirstNode },
  /** Its registration gets lost. */
  lost: { name: 'lost.csi.test', ...onFirstNode },
  /** Its node plugin goes away before its pods. */
  evicted: { name: 'evicted.csi.test', ...onFirstNode },
  elsewhere: { name: 'elsewhere.csi.test', nodeSelector: { 'kubernetes.io/hostname': 'node-2' } },
} as const satisfies Readonly<Record<string, DriverSpec>>;

/** The one cluster of this folder's tests. */
export const sharedCluster = shareCluster(3, async (cluster): Promise<Shared> => {
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await cluster.apply([space]);
  const names = Object.keys(specs) as (keyof typeof specs)[];
  const entries = await Promise.all(
    names.map(async (name) => [name, await deployDriver(cluster, specs[name])] as const),
  );
  const drivers = Object.fromEntries(entries) as Shared['drivers'];
  const node = cluster.node('node-1');
  await Promise.all([
    drivers.bind.waitRegistered(),
    drivers.attach.waitRegistered(),
    ...[drivers.fuse, drivers.limited, drivers.lost, drivers.evicted].map((each) =>
      each.waitRegistered([node]),
    ),
  ]);
  return { cluster, node, lostNode: cluster.node('node-3'), drivers };
});
