import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that cannot be mistaken for another: its id and its start, in clock ticks since boot. */
export interface ProcessId {
  readonly pid: number;
  readonly startTime: number;
}

/** Every process of a cluster carries this variable: the cluster's folder. Children inherit it. */
const marker = 'KUBECTL_CSI_CLUSTER';

/**
 * Starts a process in a session of its own, which outlives this one.
 *
 * @param dir the cluster's folder, by which the process is found again after a crash of this one
 * @param logFile receives stdout and stderr
 */
export function startDaemon(
  dir: string,
  command: readonly [string, ...string[]],
  logFile: string,
): ProcessId {
  const [file, ...args] = command;
  const log = openSync(logFile, 'a');
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', [marker]: dir };
  const child = spawn(file, args, { detached: true, cwd: '/', env, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error(`cannot start ${file}: is it installed?`);
  return identify(child.pid);
}

/** @throws when there is no such process */
export function identify(pid: number): ProcessId {
  return { pid, startTime: Number(statFields(pid)[19]) };
}

export function isAlive(process: ProcessId): boolean {
  try {
    const fields = statFields(process.pid);
    return fields[0] !== 'Z' && Number(fields[19]) === process.startTime;
  } catch {
    return false;
  }
}

/** Sends a signal to this process, and to no other that got its id later. */
export function signal(target: ProcessId, name: NodeJS.Signals): void {
  if (isAlive(target)) process.kill(target.pid, name);
}

/** The fields of /proc/PID/stat from the third (state) on: 1 is the parent, 19 the start time (proc(5)). */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

export function childrenOf(parent: number): ProcessId[] {
  return select((pid) => Number(statFields(pid)[1]) === parent);
}

/** The processes of one cluster, apart from those in containers: these end with their node's PID namespace. */
export function processesOf(dir: string): ProcessId[] {
  const entry = `${marker}=${dir}`;
  return select((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry));
}

/** The processes with this name (comm) whose PID namespace is the one of `member`. */
export function processesBeside(member: number, name: string): ProcessId[] {
  const namespace = readlinkSync(`/proc/${member}/ns/pid`);
  return select(
    (pid) =>
      readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name &&
      readlinkSync(`/proc/${pid}/ns/pid`) === namespace,
  );
}

/** Processes come and go while this looks: one that is gone counts as not selected. */
function select(matches: (pid: number) => boolean): ProcessId[] {
  return allPids().flatMap((pid) => {
    try {
      return matches(pid) ? [identify(pid)] : [];
    } catch {
      return [];
    }
  });
}
