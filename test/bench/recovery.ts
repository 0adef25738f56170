// node test/bench/recovery.ts [ROUNDS [VOLUMES]]: from the command to the first good read, beside kubelet's own restart by a
// liveness probe on the same incident; and from `heal` to the driver listed again.
import { join } from 'node:path';
import { columns } from '../../src/render/table.ts';
import { exec } from '../cluster/host/exec.ts';
import {
  type Cluster,
  type DeployedDriver,
  deployApp,
  deployDriver,
  findIncident,
  startCluster,
  waitUntil,
} from '../cluster/index.ts';

const plugin = join(import.meta.dirname, '../../dist/kubectl-csi');
const rounds = Number(process.argv[2] ?? 5);
const manyVolumes = Number(process.argv[3] ?? 50);
const node = 'node-1';

interface Row {
  readonly what: string;
  /** Milliseconds. */
  readonly times: readonly number[];
}

const io = (interval: string, ...paths: string[]) => [
  '/bin/io-app',
  `--interval=${interval}`,
  '--name=app',
  ...paths,
];

/** Runs the plugin; what it says is shown when it does not end well. */
async function csi(cluster: Cluster, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await exec([plugin, ...args], {
    env: { KUBECONFIG: cluster.kubeconfig },
    timeoutMs: 300_000,
  });
  if (code !== 0) throw new Error(`kubectl csi ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
}

/** The time of the first good read that began after `since`, as the app itself logged it. */
async function firstGoodRead(cluster: Cluster, pod: string, since: number): Promise<number> {
  return waitUntilValue(`${pod} to read again`, async () => {
    const { stdout } = await cluster.kubectl(['logs', pod, '--since-time', new Date(since).toISOString()]);
    const good = stdout
      .split('\n')
      .filter((line) => line.includes('"op":"read","ok":true'))
      .map((line) => Date.parse((JSON.parse(line) as { t: string }).t))
      .find((time) => time >= since);
    return good === undefined ? undefined : good - since;
  });
}

async function waitUntilValue<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  const done = async () => {
    found = await ask();
    return found !== undefined;
  };
  await waitUntil(what, done, { timeoutMs: 300_000, intervalMs: 500 });
  return found as T;
}

const kill = async (cluster: Cluster, driver: DeployedDriver) => {
  await findIncident('dead-mounts').apply(cluster, cluster.node(node), driver);
  return Date.now();
};

async function registration(cluster: Cluster, driver: DeployedDriver): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await findIncident('lost-event').apply(cluster, cluster.node(node), driver);
    const begin = Date.now();
    await csi(cluster, 'heal', '--node', node);
    if (!(await driver.isRegistered(cluster.node(node)))) throw new Error('not listed after heal');
    times.push(Date.now() - begin);
  }
  return { what: 'heal: a lost event, until the driver is listed', times };
}

async function swap(cluster: Cluster, driver: DeployedDriver): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await kill(cluster, driver);
    const begin = Date.now();
    const command = csi(cluster, 'remount', 'pod/swapped', '--strategy', 'swap');
    times.push(await firstGoodRead(cluster, 'swapped', begin));
    await command;
  }
  return { what: 'remount: first good read after the command', times };
}

/** The probe ends the container; it starts again only once the node's mount lives, so that is repaired right then. */
async function probe(cluster: Cluster, driver: DeployedDriver): Promise<Row> {
  const died = await kill(cluster, driver);
  await waitUntil('kubelet to end the probed container', async () => !(await isReady(cluster, 'probed')), {
    timeoutMs: 300_000,
  });
  await csi(cluster, 'remount', '--node', node);
  return {
    what: 'liveness probe 15/20/5/3 with remount, from the death',
    times: [await firstGoodRead(cluster, 'probed', died)],
  };
}

const isReady = async (cluster: Cluster, pod: string) =>
  (await cluster.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].state.running}']))
    .stdout !== '';

async function many(cluster: Cluster, driver: DeployedDriver): Promise<Row> {
  const names = Array.from({ length: manyVolumes }, (_, index) => `many-${index}`);
  const apps = await Promise.all(
    names.map((name) =>
      deployApp(cluster, { name, driver: driver.spec.name, node, command: io('1s', '/data') }),
    ),
  );
  for (const app of apps) await app.waitReady();
  await kill(cluster, driver);
  const begin = Date.now();
  await csi(cluster, 'heal', '--node', node);
  return { what: `heal: ${manyVolumes} volumes on one node, all verified`, times: [Date.now() - begin] };
}

const seconds = (milliseconds: number | undefined) => ((milliseconds ?? Number.NaN) / 1000).toFixed(2);

function print(rows: readonly Row[]): void {
  const cells = rows.map(({ what, times }) => {
    const sorted = [...times].sort((a, b) => a - b);
    return [
      what,
      String(times.length),
      seconds(sorted[Math.floor(sorted.length / 2)]),
      seconds(sorted.at(-1)),
    ];
  });
  process.stdout.write(`${columns(['WHAT', 'ROUNDS', 'MEDIAN s', 'WORST s'], cells)}\n`);
}

const cluster = await startCluster({ nodes: 1 }, console.error);
try {
  const bind = await deployDriver(cluster, { name: 'bind.csi.test' });
  const s3 = await deployDriver(cluster, { name: 's3.csi.test', mode: 'fuse-s3', driverArgs: ['--staging'] });
  await Promise.all([bind.waitRegistered(), s3.waitRegistered()]);
  const swapped = await deployApp(cluster, {
    name: 'swapped',
    driver: 's3.csi.test',
    node,
    command: io('20ms', '/data'),
  });
  await swapped.waitReady();
  const rows = [await registration(cluster, bind), await swap(cluster, s3)];
  const probed = await deployApp(cluster, {
    name: 'probed',
    driver: 's3.csi.test',
    node,
    command: io('20ms', '/data'),
  });
  await probed.waitReady();
  await csi(cluster, 'inject-probe', 'pod/probed', '--replace', '--yes');
  rows.push(await probe(cluster, s3), await many(cluster, s3));
  print(rows);
} finally {
  await cluster.stop();
}
process.exit(0);
