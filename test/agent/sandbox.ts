import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentRecord,
  type Bytes,
  decodeAnswer,
  type ErrorRecord,
} from '../../src/protocol/protocol.gen.ts';
import { binaries } from './binaries.ts';

export interface AgentRun {
  readonly code: number | null;
  readonly records: readonly AgentRecord[];
  readonly error: ErrorRecord | undefined;
}

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Background {
  readonly child: ChildProcess;
  /** Lines of its standard output so far. */
  readonly lines: readonly string[];
  /** Its exit code, once it has ended and closed its output. */
  readonly closed: Promise<number | null>;
  /** Waits for a line; fails after five seconds. */
  line(wanted: string, count?: number): Promise<void>;
  /** Waits for a line that matches; fails after five seconds. */
  match(wanted: RegExp, count?: number): Promise<void>;
  /** Its id in the sandbox. */
  pid(): Promise<number>;
}

/**
 * A node of its own: fresh PID and mount namespaces in which process 1 is ours, an empty /run, an /etc of its
 * own, and a folder on a real file system. All of it is gone when it is closed.
 */
export interface Sandbox {
  readonly folder: string;
  /** A kubelet root with an empty plugins_registry. */
  readonly root: string;
  readonly registry: string;
  run(command: readonly string[], options?: RunOptions): Promise<Result>;
  /** Runs a command that goes on; resolves when it wrote `ready`, at once for null. */
  start(command: readonly string[], ready?: string | null): Promise<Background>;
  close(): Promise<void>;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly encoding?: BufferEncoding;
}

export async function openSandbox(): Promise<Sandbox> {
  const { shipped } = await binaries();
  const folder = await mkdtemp(join(tmpdir(), 'agent-test-'));
  const root = join(folder, 'kubelet');
  const registry = join(root, 'plugins_registry');
  await mkdir(registry, { recursive: true, mode: 0o750 });
  for (const name of ['etc', 'work']) await mkdir(join(folder, name));
  const etc = `lowerdir=/etc,upperdir=${folder}/etc,workdir=${folder}/work`;
  const setup = [
    'mount -t tmpfs -o mode=755 run /run',
    `mount -t overlay -o ${etc} etc /etc`,
    'mkdir -p /etc/systemd/system',
    'exec "$@"',
  ].join('\n');
  const init = [String(shipped[goArch()]), 'hold', '--seconds', '600'];
  const flags = ['--pid', '--fork', '--mount', '--mount-proc', '--kill-child'];
  const unshare = spawn('unshare', [...flags, 'sh', '-ec', setup, 'sh', ...init], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(unshare.stdout), 'line');
  const initPid = await onlyChild(Number(unshare.pid));
  const started: ChildProcess[] = [];
  const enter = ['--target', String(initPid), '--mount', '--pid', '--'];
  return {
    folder,
    root,
    registry,
    run: (command, options) => run('nsenter', [...enter, ...command], options),
    async start(command, ready = 'ready') {
      const child = spawnInside([...enter, ...command]);
      started.push(child);
      return background(child, ready);
    },
    async close() {
      // nsenter stops itself when its child is stopped, and would outlive it.
      for (const child of started) child.kill('SIGKILL');
      unshare.kill('SIGKILL');
      await once(unshare, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the agent in the sandbox and decodes its whole answer. */
export async function runAgent(
  sandbox: Sandbox,
  agent: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<AgentRun> {
  const { code, stdout, stderr } = await sandbox.run([agent, ...args], options);
  if (stderr !== '') throw new Error(`the agent wrote to standard error: ${stderr}`);
  const { records } = decodeAnswer(stdout);
  const error = records.find((record): record is ErrorRecord => record.kind === 'error');
  return { code, records, error };
}

/** The only record of a kind in an answer. */
export function recordOf<K extends AgentRecord['kind']>(
  { records, error }: AgentRun,
  kind: K,
): Extract<AgentRecord, { kind: K }> {
  const found = records.filter((record): record is Extract<AgentRecord, { kind: K }> => record.kind === kind);
  const [record] = found;
  if (found.length !== 1 || !record) {
    throw new Error(`${found.length} ${kind} records; ${JSON.stringify(error ?? records)}`);
  }
  return record;
}

/** The same tests for the agent as it is shipped and for the one with sanitizers and crash points. */
export function describeAgents(
  title: string,
  tests: (agent: () => string, sandbox: () => Sandbox) => void,
): void {
  for (const build of ['shipped', 'sanitized'] as const) {
    describe(`${title} (${build})`, function () {
      this.timeout(30_000);
      let agent = '';
      let sandbox: Sandbox | undefined;
      const opened = () => sandbox ?? assert.fail('the sandbox is not open');
      before(async function () {
        this.timeout(600_000);
        const { shipped, sanitized } = await binaries();
        agent = build === 'shipped' ? String(shipped[goArch()]) : sanitized;
      });
      beforeEach(async () => {
        sandbox = await openSandbox();
      });
      tests(() => agent, opened);
      afterEach(() => sandbox?.close()); // after the tests' own hooks
    });
  }
}

/** Kubernetes' name of this machine's architecture. */
export const goArch = () => (process.arch === 'x64' ? 'amd64' : process.arch);

export function byteText(...bytes: readonly number[]): Bytes {
  return bytes.map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 | byte)).join('');
}

export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Result> {
  return new Promise((resolve) => {
    const env = { ...process.env, ASAN_OPTIONS: 'detect_leaks=0', ...options.env };
    const limits = {
      timeout: options.timeoutMs ?? 20_000,
      maxBuffer: 64 << 20,
      env,
      encoding: options.encoding ?? 'utf8',
    } as const;
    const child = execFile(file, args, limits, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.on('error', () => undefined).end(options.input ?? '');
  });
}

function spawnInside(args: readonly string[]) {
  const env = { ...process.env, ASAN_OPTIONS: 'detect_leaks=0' };
  return spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'], env });
}

async function background(child: ReturnType<typeof spawnInside>, ready: string | null): Promise<Background> {
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const closed = once(child, 'close').then(([code]: unknown[]) => code as number | null);
  const match = async (wanted: RegExp, count = 1) => {
    const deadline = Date.now() + 5000;
    while (lines.filter((line) => wanted.test(line)).length < count) {
      if (Date.now() > deadline) throw new Error(`no line ${wanted} (${count}) in ${JSON.stringify(lines)}`);
      await sleep(10);
    }
  };
  const line = (wanted: string, count?: number) =>
    match(new RegExp(`^${wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`), count);
  if (ready !== null) await line(ready);
  return {
    child,
    closed,
    lines,
    line,
    match,
    pid: async () => pidInside(await onlyChild(Number(child.pid))),
  };
}

/** nsenter forks to enter a PID namespace, unshare to make one. */
async function onlyChild(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}

async function pidInside(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^NSpid:.*\t(\d+)$/m.exec(status)?.[1]);
}
