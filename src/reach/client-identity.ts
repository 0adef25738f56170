import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * `MACHINE/BOOT/PIDS/PID/START`: names this client for as long as it lives. MACHINE is for people: containers and
 * machines may share a name. BOOT is the kernel's boot id and PIDS its PID namespace (proc(5)), in which PID and START
 * mean something; all but MACHINE and PID are empty where there is no /proc.
 */
export const clientIdentity = () =>
  [hostname(), ...processSpace(), process.pid, startOf(process.pid) ?? ''].join('/');

/** Names a healer in its lease, for people and for `clientOfHolder`. */
export const holderIdentity = (user: string, run: string) => `${user} on ${clientIdentity()}, run ${run}`;

export const clientOfHolder = (holder: string) => /^.* on (\S+), run /.exec(holder)?.[1] ?? '';

/** Boot id and PID namespace; both empty where there is no /proc, or one of another PID namespace. */
function processSpace(): readonly [boot: string, pids: string] {
  const numbers = attempt(() => readlinkSync('/proc/self')) === String(process.pid);
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pids = attempt(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]);
  return numbers && boot && pids ? [boot, pids] : ['', ''];
}

/** Field 22 of /proc/PID/stat, counted after the command's closing parenthesis (proc(5)). */
const startOf = (pid: number) =>
  attempt(
    () =>
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19],
  );

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * True only for a client that has surely ended: of this boot and this PID namespace, with a process id that is free or
 * another process's by now. Of any other client nothing is known, a machine that was booted again included: it may be
 * another one of the same name.
 */
export function hasEnded(client: string): boolean {
  const [, boot, pids, pid, start] = client.split('/');
  const [ourBoot, ourPids] = processSpace();
  if (!boot || boot !== ourBoot || pids !== ourPids || !pid || !/^\d+$/.test(pid)) return false;
  const now = startOf(Number(pid));
  if (now !== undefined) return Boolean(start) && now !== start;
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
