import { closeSync, copyFileSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { processesIn } from '../host/cgroups.ts';
import { type ExecOptions, exec, type Result } from '../host/exec.ts';
import { identify, isAlive, type ProcessId, processesBeside, signal } from '../host/processes.ts';
import { waitFor } from '../wait.ts';
import type { Supervisor } from './files.ts';
import { kubeletLog } from './services.ts';

export interface NodeInit {
  readonly name: string;
  readonly address: string;
  /** The node's root folder on this machine. */
  readonly root: string;
  readonly kubeletRoot: string;
  /** The first process of the node's PID namespace, by its id on this machine. */
  readonly init: ProcessId;
  readonly supervisor: Supervisor;
  /** The cgroup of the node, in every hierarchy of this machine. */
  readonly cgroup: string;
}

export interface KubeletLog {
  readonly text: string;
  /** Where the text ends: hand it to the next call to read only what is new. */
  readonly end: number;
}

export interface ClusterNode extends NodeInit {
  readonly initPid: number;
  /** Runs a command in the node's mount, PID, network, UTS and IPC namespaces; any exit code is a result. */
  run(command: readonly string[], options?: ExecOptions): Promise<Result>;
  /** The path on this machine of a path on the node. */
  hostPath(path: string): string;
  /** kubelet's process id on this machine. Throws when kubelet does not run. */
  kubeletPid(): Promise<number>;
  stopKubelet(): Promise<void>;
  continueKubelet(): Promise<void>;
  /** Ends kubelet and waits for the process that its supervisor starts instead. */
  restartKubelet(): Promise<void>;
  kubeletLog(since?: number): Promise<KubeletLog>;
  /** The processes of a container, by its id in the container runtime. */
  containerProcesses(containerId: string): ProcessId[];
  /** Makes a docker-archive known to the node's container runtime. */
  importImage(archive: string): Promise<void>;
}

export function openNode(node: NodeInit): ClusterNode {
  const initPid = node.init.pid;
  const enter = ['nsenter', '-t', String(initPid), '-m', '-p', '-n', '-u', '-i', '--'];
  const run = (command: readonly string[], options: ExecOptions = {}) => {
    // The time limit holds inside: ending nsenter would leave the command behind in the node.
    const limit = ['timeout', '-k', '1', String((options.timeoutMs ?? 60_000) / 1000)];
    return exec([...enter, ...limit, ...command], {
      ...options,
      timeoutMs: (options.timeoutMs ?? 60_000) + 5_000,
    });
  };
  const hostPath = (path: string) => {
    if (!isAlive(node.init)) throw new Error(`node ${node.name} does not run`);
    return join(`/proc/${initPid}/root`, path);
  };
  const kubelet = () => findKubelet(node);
  return {
    ...node,
    initPid,
    run,
    hostPath,
    kubeletPid: async () => kubelet().pid,
    stopKubelet: async () => signal(kubelet(), 'SIGSTOP'),
    continueKubelet: async () => signal(kubelet(), 'SIGCONT'),
    restartKubelet: () => restartKubelet(node),
    kubeletLog: async (since = 0) => readFrom(join(node.root, kubeletLog), since),
    containerProcesses: (id) => processesIn(`${node.cgroup}/k8s.io/${id}`).map(identify),
    importImage: (archive) => importImage(node, archive, run),
  };
}

function findKubelet(node: NodeInit): ProcessId {
  const [found] = processesBeside(node.init.pid, 'kubelet');
  if (found === undefined) throw new Error(`kubelet does not run on ${node.name}`);
  return found;
}

async function restartKubelet(node: NodeInit): Promise<void> {
  const old = findKubelet(node);
  signal(old, 'SIGKILL');
  await waitFor(`a new kubelet on ${node.name}`, async () => {
    const { pid } = findKubelet(node);
    return pid === old.pid ? { seen: 'the old one' } : { done: undefined };
  });
}

async function readFrom(file: string, since: number): Promise<KubeletLog> {
  const descriptor = openSync(file, 'r');
  try {
    const end = fstatSync(descriptor).size;
    const buffer = Buffer.alloc(Math.max(0, end - since));
    readSync(descriptor, buffer, 0, buffer.length, since);
    return { text: buffer.toString(), end };
  } finally {
    closeSync(descriptor);
  }
}

async function importImage(node: NodeInit, archive: string, run: ClusterNode['run']): Promise<void> {
  const path = join('/var/tmp', basename(archive));
  copyFileSync(archive, join(node.root, path));
  const { code, stderr } = await run(['ctr', '-n', 'k8s.io', 'images', 'import', path], {
    timeoutMs: 120_000,
  });
  rmSync(join(node.root, path));
  if (code !== 0) throw new Error(`${node.name} cannot import ${archive}: ${stderr}`);
}
