import assert from 'node:assert/strict';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureModule } from '../../scripts/setup/go-binaries.mjs';
import { agentArgs, type VolumeMountRecord } from '../../src/protocol/protocol.gen.ts';
import { type AgentRun, type Background, runAgent, type Sandbox } from './sandbox.ts';

const driver = join(import.meta.dirname, '../cluster/driver');

export const POD = '0b5b4a63-93b4-4c4a-9d5a-3f0a5c7c1c11';
export const PV = 'pv-1';
const DRIVER = 'fuse.csi.test';
const HASH = 'ab'.repeat(32);

/** One line of mountinfo. */
export interface Mounted {
  readonly id: number;
  readonly parent: number;
  readonly device: string;
  readonly root: string;
  readonly point: string;
  readonly options: string;
  readonly propagation: string;
  readonly type: string;
}

/** A process in a mount namespace of its own, as a container's. */
export interface Container {
  readonly pid: number;
  readonly startTicks: string;
  readonly namespace: string;
  readonly process: Background;
  mounts(point: string): Promise<readonly Mounted[]>;
  /** Runs a shell script in its mount namespace. */
  run(script: string): Promise<{ code: number | null; stdout: string }>;
}

export interface SwapOptions {
  readonly from?: string;
  readonly sub?: string;
  readonly whole?: boolean;
  readonly mode?: 'auto' | 'beneath' | 'top' | 'detach';
  readonly planned?: boolean;
  readonly loseNested?: boolean;
  readonly propagation?: 'private' | 'slave' | 'shared';
  readonly mountId?: number;
  readonly device?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Capabilities that the agent has; all without it. */
  readonly capabilities?: readonly string[];
}

/** A node with one CSI volume, served by a FUSE daemon: staged, and published to a pod. */
export class VolumeNode {
  readonly sandbox: Sandbox;
  readonly agent: string;
  readonly staging: string;
  readonly target: string;
  readonly #fuse: string;

  private constructor(sandbox: Sandbox, agent: string, fuse: string) {
    const csi = join(sandbox.root, 'plugins/kubernetes.io/csi');
    this.sandbox = sandbox;
    this.agent = agent;
    this.#fuse = fuse;
    this.staging = join(csi, DRIVER, HASH, 'globalmount');
    this.target = join(sandbox.root, 'pods', POD, 'volumes/kubernetes.io~csi', PV, 'mount');
  }

  static async open(sandbox: Sandbox, agent: string): Promise<VolumeNode> {
    const fuse = join(await ensureModule(driver, console.error), 'csi-fuse');
    const node = new VolumeNode(sandbox, agent, fuse);
    await mkdir(node.staging, { recursive: true });
    await mkdir(node.target, { recursive: true });
    await node.must(
      'mount --bind "$0" "$0" && mount --make-shared "$0" && echo "{}" > "$1/vol_data.json"',
      sandbox.root,
      dirname(node.target),
    );
    return node;
  }

  path(...names: readonly string[]): string {
    return join(this.sandbox.folder, ...names);
  }

  subpath(index = 0): string {
    return join(this.sandbox.root, 'pods', POD, 'volume-subpaths', PV, 'app', String(index));
  }

  /** Runs a shell script on the node, which must succeed; its arguments are $0 and so on. */
  async must(script: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.sandbox.run(['sh', '-ec', script, ...args]);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }

  /** The command line of a FUSE daemon on a path. */
  serving(path: string, ...flags: readonly string[]): readonly string[] {
    const backend = `dir=${this.path('objects', 'volume')}`;
    return [this.#fuse, '--backend', backend, '--ready-fd=1', ...flags, path];
  }

  /** Starts a FUSE daemon on a path. */
  serve(path: string, ...flags: readonly string[]): Promise<Background> {
    return this.sandbox.start(this.serving(path, ...flags));
  }

  /** What the driver does: stages and publishes. */
  async publish(...flags: readonly string[]): Promise<Background> {
    const daemon = await this.serve(this.staging, ...flags);
    await this.must('mount --bind "$0" "$1"', this.staging, this.target);
    return daemon;
  }

  /** Ends a daemon as a container that is killed. */
  async kill(daemon: Background): Promise<void> {
    await this.must('kill -KILL "$0"', String(await daemon.pid()));
    daemon.child.kill('SIGCONT'); // nsenter stops when its child is stopped
    await daemon.closed;
  }

  async mounts(point: string, pid = 1): Promise<readonly Mounted[]> {
    const text = await this.must('cat /proc/"$0"/mountinfo', String(pid));
    return text
      .split('\n')
      .map(parseMount)
      .filter((mount) => mount.point === point);
  }

  async device(path: string): Promise<string> {
    return (await this.mounts(path)).at(-1)?.device ?? assert.fail(`nothing is mounted on ${path}`);
  }

  /** Starts a process in a new mount namespace; the script sets it up, $0 is the publish target. */
  async container(setup: string, propagation = 'private', ...flags: readonly string[]): Promise<Container> {
    const script = `${setup}\necho ready\nexec sleep 600`;
    const process = await this.sandbox.start([
      'unshare',
      '--mount',
      `--propagation=${propagation}`,
      ...flags,
      'sh',
      '-ec',
      script,
      this.target,
    ]);
    const pid = await process.pid();
    const [ticks, namespace] = (
      await this.must(
        'sed "s/.*) //" /proc/$0/stat | cut -d" " -f20; stat -Lc %i /proc/$0/ns/mnt',
        String(pid),
      )
    ).split('\n');
    return {
      pid,
      process,
      startTicks: String(ticks),
      namespace: String(namespace),
      mounts: (point) => this.mounts(point, pid),
      run: (inside) => this.sandbox.run(['nsenter', '-t', String(pid), '-m', 'sh', '-c', inside]),
    };
  }

  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<AgentRun> {
    return runAgent(this.sandbox, this.agent, args, env ? { env } : {});
  }

  /** Runs the agent with these capabilities only. */
  runWith(capabilities: readonly string[], args: readonly string[]): Promise<AgentRun> {
    const kept = ['-all', ...capabilities.map((name) => `+${name}`)].join(',');
    const confined = ['--no-new-privs', `--bounding-set=${kept}`, `--inh-caps=${kept}`];
    return runAgent(this.sandbox, 'setpriv', [...confined, this.agent, ...args]);
  }

  look(deadline = 500): Promise<AgentRun> {
    return this.run(agentArgs.mounts({ at: 1, root: this.sandbox.root, deadline }));
  }

  async swap(container: Container, target: string, options: SwapOptions = {}): Promise<AgentRun> {
    const { env, mountId, device, from = this.target, capabilities, ...rest } = options;
    const top = (await container.mounts(target)).at(-1);
    const args = agentArgs.swap({
      at: 1,
      pid: container.pid,
      startTicks: container.startTicks,
      namespace: container.namespace,
      target,
      mountId: mountId ?? top?.id ?? 0,
      device: device ?? top?.device ?? '0:0',
      from,
      fromDevice: await this.device(from),
      ...rest,
    });
    return capabilities ? this.runWith(capabilities, args) : this.run(args, env);
  }

  /** Whether the file system of the node's folder knows the immutable flag, and a path has it. */
  async immutable(path: string): Promise<boolean> {
    await stat(this.sandbox.folder);
    return (await this.must('lsattr -d "$0"', path)).slice(0, 20).includes('i');
  }
}

function parseMount(line: string): Mounted {
  const [id, parent, device, root, point, options, ...rest] = line.split(' ');
  const dash = rest.indexOf('-');
  return {
    id: Number(id),
    parent: Number(parent),
    device: String(device),
    root: unescaped(String(root)),
    point: unescaped(String(point)),
    options: String(options),
    propagation: rest.slice(0, dash).join(' '),
    type: String(rest[dash + 1]),
  };
}

const unescaped = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));

/** The volumeMount records on a mount point. */
export function seenOn({ records }: AgentRun, point: string): readonly VolumeMountRecord[] {
  return records.filter(
    (record): record is VolumeMountRecord =>
      record.kind === 'volumeMount' && record.mount.mountPoint === point,
  );
}
