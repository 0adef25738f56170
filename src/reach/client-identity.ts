import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** `MACHINE/PID/START`: names this client for as long as it lives. START is empty where there is no /proc. */
export const clientIdentity = () => `${hostname()}/${process.pid}/${startOf(process.pid) ?? ''}`;

/** Names a healer in its lease, for people and for `clientOfHolder`. */
export const holderIdentity = (user: string, run: string) => `${user} on ${clientIdentity()}, run ${run}`;

export const clientOfHolder = (holder: string) => /^.* on (\S+), run /.exec(holder)?.[1] ?? '';

/** Field 22 of /proc/PID/stat, counted after the command's closing parenthesis (proc(5)). */
function startOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19];
  } catch {
    return undefined;
  }
}

/** True only for a client that ran on this machine and has surely ended. */
export function hasEnded(client: string): boolean {
  const [machine, pid, start] = client.split('/');
  if (machine !== hostname() || !pid || !/^\d+$/.test(pid)) return false;
  const now = startOf(Number(pid));
  if (now !== undefined) return start !== '' && now !== start;
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
