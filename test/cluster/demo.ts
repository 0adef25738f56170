import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import {
  type Cluster,
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
  findIncident,
  startCluster,
} from './index.ts';

/** The main job, for somebody who sees it for the first time: a real cluster, broken both ways, shown, healed, shown again. */
const dist = join(import.meta.dirname, '../../dist');

const say = (text: string) => process.stdout.write(`\n\u001b[1m# ${text}\u001b[0m\n`);

/** Runs a command as a person would, its output in full view. */
async function type(cluster: Cluster, line: string): Promise<void> {
  process.stdout.write(`\n$ ${line}\n`);
  const env = {
    ...process.env,
    KUBECONFIG: cluster.kubeconfig,
    PATH: [dist, cluster.bin, process.env.PATH].join(delimiter),
  };
  const child = spawn('sh', ['-c', line], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'close');
}

async function registration(cluster: Cluster): Promise<void> {
  say('A driver that runs well on both nodes');
  const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
  await driver.waitRegistered();
  await type(cluster, 'kubectl csi status');

  say("Kubelet's queue of inotify events overflows just when the driver's socket appears on node-1");
  await findIncident('lost-event').apply(cluster, cluster.node('node-1'), driver);
  await type(cluster, 'kubectl csi status');
  await type(cluster, 'kubectl csi doctor --node node-1');
  await type(cluster, 'kubectl csi heal --node node-1');
  await type(cluster, 'kubectl csi status --node node-1 --deep');
}

async function mounts(cluster: Cluster): Promise<void> {
  say(
    'An app that writes and reads once a second on an S3 volume, whose FUSE daemon lives in the node plugin',
  );
  const driver = await deployDriver(cluster, {
    name: 's3.csi.test',
    mode: 'fuse-s3',
    driverArgs: ['--staging'],
  });
  await driver.waitRegistered();
  const app = await deployApp(cluster, { name: 'shop', driver: 's3.csi.test', node: 'node-2' });
  await app.waitReady();
  await type(cluster, 'kubectl logs shop --tail=2');

  say('The node plugin on node-2 is restarted, as an upgrade does it');
  await findIncident('dead-mounts').apply(cluster, cluster.node('node-2'), driver);
  await type(cluster, 'kubectl logs shop --tail=1');
  await type(cluster, 'kubectl csi status --node node-2 --deep');
  await type(cluster, 'kubectl csi remount pod/shop');
  await afterwards(cluster, driver, app);
}

async function afterwards(cluster: Cluster, _driver: DeployedDriver, _app: DeployedApp): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await type(cluster, 'kubectl logs shop --tail=2; kubectl get pod shop');
  await type(cluster, 'kubectl csi status --deep');
}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());

say('A Kubernetes cluster of two nodes on this machine');
const cluster = await startCluster({ nodes: 2 }, (line) => process.stderr.write(`  ${line}\n`), stop.signal);
try {
  await registration(cluster);
  await mounts(cluster);
} finally {
  say('The cluster is taken down');
  await cluster.stop();
}
process.exit(stop.signal.aborted ? 130 : 0);
