import { type Cluster, type DeployedDriver, deployDriver, startCluster } from '../../cluster/index.ts';
import type { Attempt } from '../mounts/support/attempts.ts';
import { type AppContainer, type AppPod, shell } from '../mounts/support/pods.ts';
import type { Scene } from '../mounts/support/scene.ts';
import type { Shared } from '../mounts/support/shared.ts';

/** Opens, reads and writes every 20 ms; whatever fails, and what took long, stands in the log. */
const steady = ['--interval=20ms', '--log-every=50', '--slow=50ms', '--mode=rewrite'];

const data = { name: 'data', mountPath: '/data' };

const container = (name: string, more: Partial<AppContainer> = {}): AppContainer => ({
  name,
  mounts: [data],
  places: [{ path: '/data' }],
  args: steady,
  ...more,
});

/** Four containers: the whole volume, a directory of it read-write, one that receives the node's mounts, one inside which another volume lies. */
const pod = (name: string, handle: string): AppPod => ({
  name,
  volumes: { data: { handle }, scratch: { emptyDir: {} } },
  setUp: [shell('make', 'mkdir -p /data/sub/deep /data/scratch', [data])],
  containers: [
    container('whole'),
    container('sub', { mounts: [{ ...data, subPath: 'sub/deep' }] }),
    container('slave', { mounts: [{ ...data, mountPropagation: 'HostToContainer' }] }),
    container('nested', {
      mounts: [data, { name: 'scratch', mountPath: '/data/scratch' }],
      places: [{ path: '/data' }, { path: '/data/scratch' }],
    }),
  ],
});

/** Twenty containers in five pods on four volumes: two pods share one. */
export const pods: readonly AppPod[] = [
  pod('one', 'one'),
  pod('two', 'two'),
  pod('three', 'three'),
  pod('four', 'shared'),
  pod('five', 'shared'),
];

/** The same at an easier pace, for tests that are not about the moment of a swap. */
export const calm = (given: readonly AppPod[]): readonly AppPod[] =>
  given.map((each) => ({
    ...each,
    containers: each.containers.map((one) => ({
      ...one,
      args: ['--interval=200ms', '--log-every=5', '--mode=rewrite'],
    })),
  }));

/** One node, and a driver whose FUSE daemons keep the files in a folder of the node: S3 would be slower than the apps. */
export async function startShared(): Promise<Shared> {
  const cluster: Cluster = await startCluster({ nodes: 1 }, console.error);
  try {
    const node = cluster.node('node-1');
    const driver: DeployedDriver = await deployDriver(cluster, {
      name: 's3.csi.test',
      mode: 'fuse-s3',
      driverArgs: ['--staging', `--backend=dir=${node.kubeletRoot}/handover-data`],
    });
    await driver.waitRegistered();
    return { cluster, node, otherNode: node, drivers: { staging: driver, plain: driver, group: driver } };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export interface Tally {
  readonly failed: readonly Attempt[];
  /** Milliseconds of the slowest attempt. */
  readonly longest: number;
  /** How many attempts were made, by the numbers that the apps count. */
  readonly attempts: number;
  /** Milliseconds from the first failure to the last. */
  readonly outage: number;
}

/** All that the apps told from one moment to another. */
export function tally(scene: Scene, from: number, to = Date.now()): Tally {
  const perApp = scene
    .probes()
    .map((probe) => scene.attempts(probe).filter(({ at }) => at >= from && at <= to));
  const all = perApp.flat();
  const failed = all.filter(({ ok }) => !ok);
  const times = failed.map(({ at }) => at);
  return {
    failed,
    longest: Math.max(0, ...all.map(({ ms }) => ms)),
    attempts: perApp.reduce((sum, app) => sum + (app.at(-1)?.n ?? 0) - (app[0]?.n ?? 0), 0),
    outage: times.length > 0 ? Math.max(...times) - Math.min(...times) : 0,
  };
}
