// node test/bench/startup.ts [ROUNDS]: start-up, memory and size of the packaged plugin beside kubectl in the same run.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageTargets } from '../../scripts/package.mjs';
import { ensureDebianPackages } from '../../scripts/setup/debian.mjs';
import { exec } from '../cluster/host/exec.ts';
import { type Cluster, deployDriver, startCluster } from '../cluster/index.ts';

export interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  /** What it may take, as a multiple of another subject, or in milliseconds. */
  readonly limit?: { readonly times: number; readonly of: string } | { readonly milliseconds: number };
}

export interface Measurement {
  readonly name: string;
  /** Milliseconds. */
  readonly min: number;
  readonly median: number;
  /** Largest resident memory in MiB. */
  readonly memory: number;
  /** What the limit is measured by, and whether it holds; absent without a limit. */
  readonly verdict?: { readonly text: string; readonly holds: boolean };
}

interface Sample {
  readonly milliseconds: number;
  readonly kibibytes: number;
}

/** Runs every subject once a round, in an order that changes, so that noise meets all alike. */
export async function measure(
  subjects: readonly Subject[],
  rounds: number,
  env: NodeJS.ProcessEnv,
): Promise<readonly Measurement[]> {
  const samples = new Map(subjects.map(({ name }) => [name, [] as Sample[]]));
  for (let round = 0; round < rounds; round++)
    for (const { name, command } of shuffled(subjects)) samples.get(name)?.push(await sample(command, env));
  const summaries = subjects.map(({ name, limit }) => ({ ...summary(name, samples.get(name) ?? []), limit }));
  return summaries.map(({ limit, ...each }) => ({ ...each, ...verdict(each, limit, summaries) }));
}

const shuffled = <T>(items: readonly T[]) =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** GNU time writes the memory as the last line of stderr. */
async function sample(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Sample> {
  const begin = performance.now();
  const { code, stdout, stderr } = await exec(['/usr/bin/time', '-f', '%M', ...command], { env });
  const milliseconds = performance.now() - begin;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return { milliseconds, kibibytes: Number(stderr.trim().split('\n').at(-1)) };
}

function summary(name: string, samples: readonly Sample[]) {
  const times = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const memory = Math.max(...samples.map(({ kibibytes }) => kibibytes)) / 1024;
  return { name, min: times[0] ?? 0, median: times[Math.floor(times.length / 2)] ?? 0, memory };
}

/** Of two programs on a noisy machine the fastest runs compare best. */
function verdict(
  measured: Measurement,
  limit: Subject['limit'],
  all: readonly Measurement[],
): Pick<Measurement, 'verdict'> {
  if (!limit) return {};
  if ('milliseconds' in limit) {
    const holds = measured.min <= limit.milliseconds;
    return { verdict: { text: `${Math.round(measured.min)} of ${limit.milliseconds} ms`, holds } };
  }
  const other = all.find(({ name }) => name === limit.of);
  const times = measured.min / (other?.min ?? Number.NaN);
  return {
    verdict: { text: `${times.toFixed(2)} of ${limit.times} x ${limit.of}`, holds: times <= limit.times },
  };
}

/** What status lists; it asks each kubelet besides. */
const sameObjects =
  'nodes,pods,persistentvolumes,persistentvolumeclaims,daemonsets.apps,csinodes.storage.k8s.io,csidrivers.storage.k8s.io';

export const subjectsFor = (program: string, kubectl: string): readonly Subject[] => [
  { name: 'kubectl version --client', command: [kubectl, 'version', '--client'] },
  {
    name: 'csi --version',
    command: [program, '--version'],
    limit: { times: 1.2, of: 'kubectl version --client' },
  },
  { name: 'csi --help', command: [program, '--help'], limit: { times: 1.2, of: 'kubectl version --client' } },
  { name: 'kubectl get csinodes', command: [kubectl, 'get', 'csinodes'] },
  { name: 'csi version', command: [program, 'version'], limit: { times: 1.5, of: 'kubectl get csinodes' } },
  { name: 'kubectl get of the same', command: [kubectl, 'get', '--all-namespaces', sameObjects] },
  { name: 'csi status', command: [program, 'status'], limit: { times: 1.5, of: 'kubectl get of the same' } },
  {
    name: 'csi completion of a node',
    command: [program, '__complete', 'status', '--node', ''],
    limit: { milliseconds: 300 },
  },
];

const largestArchive = 45_000_000;

export function row({ name, min, median, memory, verdict: judged }: Measurement): string {
  const numbers = [min, median, memory].map((number) => String(Math.round(number)).padStart(9)).join('');
  const words = judged ? `  ${judged.holds ? 'ok    ' : 'MISSED'} ${judged.text}` : '';
  return `${name.padEnd(28)}${numbers}${words}`;
}

async function bench(cluster: Cluster, rounds: number): Promise<boolean> {
  const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
  await driver.waitRegistered();
  const { folder, targets } = await packageTargets({ ids: ['linux-amd64'], log: console.error });
  const [{ archive } = { archive: '' }] = targets as { archive: string }[];
  const subjects = subjectsFor(join(folder, 'linux-amd64/kubectl-csi'), join(cluster.bin, 'kubectl'));
  const measured = await measure(subjects, rounds, { ...process.env, KUBECONFIG: cluster.kubeconfig });
  const { size } = statSync(join(folder, archive));
  console.log(`${''.padEnd(28)}${['min ms', 'median ms', 'MiB'].map((word) => word.padStart(9)).join('')}`);
  for (const each of measured) console.log(row(each));
  console.log(`archive: ${(size / 1e6).toFixed(1)} of ${largestArchive / 1e6} MB`);
  return size <= largestArchive && measured.every((each) => each.verdict?.holds ?? true);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureDebianPackages(['time'], console.error);
  const cluster = await startCluster({ nodes: 1 }, console.error);
  try {
    process.exitCode = (await bench(cluster, Number(process.argv[2] ?? 20))) ? 0 : 1;
  } finally {
    await cluster.stop();
  }
}
