import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster } from '../../../cluster/index.ts';

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url));

export interface CsiResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds. */
  readonly took: number;
}

export interface RunningCsi {
  readonly child: ChildProcess;
  /** All of standard output until now. */
  printed(): string;
  readonly ended: Promise<CsiResult>;
}

export interface CsiOptions {
  /** The kubeconfig instead of the cluster's own; null leaves KUBECONFIG unset. */
  readonly kubeconfig?: string | null;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds until the process is ended by SIGKILL and the call fails; 60,000 when left out. */
  readonly timeoutMs?: number;
}

/** Runs the built plugin and returns what it said, whatever its exit code. */
export const csi = (cluster: Cluster, args: readonly string[], options: CsiOptions = {}) =>
  startCsi(cluster, args, options).ended;

/** As `csi`, through kubectl, which finds the plugin on PATH. */
export const kubectlCsi = (cluster: Cluster, args: readonly string[], options: CsiOptions = {}) =>
  start(cluster, ['kubectl', 'csi', ...args], options).ended;

/** The document that a command printed with `-o json`. */
export async function csiJson<T>(cluster: Cluster, args: readonly string[]): Promise<CsiResult & { doc: T }> {
  const result = await csi(cluster, [...args, '-o', 'json']);
  return { ...result, doc: parse<T>(args, result) };
}

function parse<T>(args: readonly string[], { stdout, stderr }: CsiResult): T {
  try {
    return JSON.parse(stdout) as T;
  } catch {
    throw new Error(`'${args.join(' ')} -o json' printed no JSON: ${stdout}${stderr}`);
  }
}

export const startCsi = (cluster: Cluster, args: readonly string[], options: CsiOptions = {}): RunningCsi =>
  start(cluster, [`${dist}/kubectl-csi`, ...args], options);

function start(cluster: Cluster, command: readonly string[], options: CsiOptions): RunningCsi {
  const [file = '', ...args] = command;
  const begin = Date.now();
  const child = spawn(file, args, { env: environment(cluster, options), stdio: ['ignore', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (out.stderr += text));
  const limitMs = options.timeoutMs ?? 60_000;
  const ended = closed(child, limitMs).then(
    (code): CsiResult => ({ code, ...out, took: Date.now() - begin }),
    () => {
      throw new Error(
        `'${command.join(' ')}' did not end in ${limitMs / 1000} s: ${out.stdout}${out.stderr}`,
      );
    },
  );
  return { child, printed: () => out.stdout, ended };
}

/** The exit code; 137 for a process that SIGKILL ended. */
async function closed(child: ChildProcess, limitMs: number): Promise<number> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    const [code] = await once(child, 'close', { signal });
    return code ?? 137;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function environment(cluster: Cluster, { kubeconfig, env }: CsiOptions): NodeJS.ProcessEnv {
  const { KUBECONFIG: _own, ...inherited } = process.env;
  return {
    ...inherited,
    PATH: [cluster.bin, dist, process.env.PATH].join(delimiter),
    ...(kubeconfig !== null && { KUBECONFIG: kubeconfig ?? cluster.kubeconfig }),
    ...env,
  };
}
