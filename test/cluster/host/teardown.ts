import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../wait.ts';
import { removeCgroup } from './cgroups.ts';
import { type Claim, readClaims, release } from './claim.ts';
import { networkOf, removeNetwork } from './network.ts';
import { isAlive, type ProcessId, processesOf, signal } from './processes.ts';

/** The cgroup that holds the nodes of a cluster, in every hierarchy. */
export const cgroupOf = (slot: number) => `kcsi${slot}`;

/** Ends a cluster and removes all that it made. Nothing is asked to stop gently: its state is thrown away. */
export async function teardown(claim: Claim): Promise<void> {
  await endProcesses(claim.dir);
  await removeNetwork(networkOf(claim.slot));
  await waitUntil('the end of the containers', async () => {
    removeCgroup(cgroupOf(claim.slot));
    return true;
  });
  removeFolder(claim.dir);
  release(claim);
}

/**
 * Ending a node's `unshare` ends the first process of its PID namespace, and with it every process in there.
 * That process is alive until all of them are gone, but has lost its environment by then: it is kept in mind.
 */
async function endProcesses(dir: string): Promise<void> {
  const seen = new Map<number, ProcessId>();
  const left = () => [...seen.values()].filter(isAlive);
  const gone = async () => {
    for (const process of processesOf(dir)) seen.set(process.pid, process);
    for (const process of left()) signal(process, 'SIGKILL');
    return left().length === 0;
  };
  const describe = async () =>
    left()
      .map(({ pid }) => pid)
      .join(' ');
  await waitUntil(`the end of the processes of ${dir}`, gone, { intervalMs: 50, describe });
}

/** The folder is only removed where nothing is mounted in it: what is mounted may be somebody's data. */
function removeFolder(dir: string): void {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const inside = mounts
    .map((line) => line.split(' ')[4] ?? '')
    .find((path) => `${path}/`.startsWith(`${dir}/`));
  if (inside !== undefined) throw new Error(`${inside} is still mounted: unmount it, then run this again`);
  allowRemoval(dir);
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

/** A repair that was cut off leaves the bare directories of volumes immutable. */
function allowRemoval(dir: string): void {
  const { status, stderr } = spawnSync('chattr', ['-R', '-f', '-i', dir], { encoding: 'utf8' });
  if (status === null) throw new Error(`chattr cannot be run: ${stderr}`);
}

/** Removes what killed runs left: clusters whose owner is gone, and folders in `parent` that nobody claims. */
export async function sweep(parent: string, log: (line: string) => void): Promise<void> {
  for (const claim of readClaims().filter(isAbandoned)) {
    log(`removing what an interrupted run left: ${claim.dir}`);
    await teardown(claim);
  }
  // Folders first: one that appears after this belongs to a run that has made its claim before.
  const folders = existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
  const claimed = new Set(readClaims().map(({ dir }) => dir));
  for (const dir of folders) if (!claimed.has(dir)) removeFolder(dir);
}

const isAbandoned = ({ owner }: Claim) => owner !== undefined && !isAlive(owner);
