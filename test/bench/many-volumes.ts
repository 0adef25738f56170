// node test/bench/many-volumes.ts [VOLUMES] [ROUNDS]: heal of one node whose driver's volumes are all dead, until every
// app is verified; beside it, the same driver's own NodeStage and NodePublish calls alone, as many at the same time.
import { connect } from 'node:net';
import { join } from 'node:path';
import { mapConcurrent } from '../../src/model/concurrent.ts';
import { hostPath } from '../../src/model/ids.ts';
import { nodeClient } from '../../src/reach/csi/node-client.ts';
import { columns } from '../../src/render/table.ts';
import { exec } from '../cluster/host/exec.ts';
import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployApp,
  deployDriver,
  findIncident,
  startCluster,
} from '../cluster/index.ts';

const plugin = join(import.meta.dirname, '../../dist/kubectl-csi');
const [volumes = 50, rounds = 3] = process.argv.slice(2).map(Number);
const atOnce = 64;

const signal = new AbortController().signal;
const names = Array.from({ length: volumes }, (_, index) => `many-${index}`);

/** Milliseconds that work takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function heal(cluster: Cluster): Promise<void> {
  const command = [plugin, 'heal', '--node', 'node-1'];
  const { code, stdout, stderr } = await exec(command, {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(`heal ended with ${code}: ${stdout}${stderr}`);
}

/** Stages and publishes volumes that no pod has, by calls to the socket itself, and takes them away again. */
async function bareCalls(node: ClusterNode, driver: DeployedDriver): Promise<number> {
  const client = nodeClient(connect(node.hostPath(`${driver.pluginFolder}/csi.sock`)));
  const base = `${node.kubeletRoot}/plugins/${driver.spec.name}/bench`;
  const capability = {
    kind: 'mount',
    accessMode: 'MULTI_NODE_MULTI_WRITER',
    fsType: '',
    mountFlags: [],
  } as const;
  const requests = names.map((name) => ({
    volumeId: `bare-${name}`,
    publishContext: {},
    stagingTargetPath: hostPath(`${base}/${name}/staging`),
    targetPath: hostPath(`${base}/${name}/target`),
    volumeCapability: capability,
    readonly: false,
    secrets: {},
    volumeContext: {},
  }));
  for (const { stagingTargetPath, targetPath } of requests)
    await node.run(['mkdir', '-p', stagingTargetPath, targetPath]);
  const took = await timed(() =>
    mapConcurrent(requests, atOnce, async (request) => {
      await client.stage(request, signal);
      await client.publish(request, signal);
    }),
  );
  await mapConcurrent(requests, atOnce, async (request) => {
    await client.unpublish(request, signal);
    await client.unstage(request, signal);
  });
  client.close();
  return took;
}

const median = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);

const cluster = await startCluster({ nodes: 1 }, console.error);
try {
  const node = cluster.node('node-1');
  const driver = await deployDriver(cluster, {
    name: 's3.csi.test',
    mode: 'fuse-s3',
    driverArgs: ['--staging'],
  });
  await driver.waitRegistered();
  const app = {
    driver: driver.spec.name,
    node: node.name,
    command: ['/bin/io-app', '--interval=1s', '--name=app', '/data'],
  };
  const apps = await mapConcurrent(names, 8, (name) => deployApp(cluster, { name, ...app }));
  await mapConcurrent(apps, 4, (each) => each.waitReady());
  const healed: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await findIncident('dead-mounts').apply(cluster, node, driver);
    bare.push(await bareCalls(node, driver));
    healed.push(await timed(() => heal(cluster)));
    console.error(
      `round ${round}: calls ${seconds(bare.at(-1) ?? 0)} s, heal ${seconds(healed.at(-1) ?? 0)} s`,
    );
  }
  const row = (what: string, times: readonly number[]) => [
    what,
    seconds(median(times)),
    seconds(Math.max(...times)),
  ];
  const cells = [
    row(`heal: ${volumes} volumes on one node, all verified`, healed),
    row(`the driver alone: ${volumes} NodeStage and NodePublish`, bare),
  ];
  process.stdout.write(`${columns(['WHAT', 'MEDIAN s', 'WORST s'], cells)}\n`);
  process.stdout.write(`ratio ${(median(healed) / median(bare)).toFixed(1)}\n`);
} finally {
  await cluster.stop();
}
process.exit(0);
