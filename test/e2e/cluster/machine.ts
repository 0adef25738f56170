import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hierarchies } from '../../cluster/host/cgroups.ts';
import { type Claim, claimsFolder, readClaims } from '../../cluster/host/claim.ts';
import { isAlive } from '../../cluster/host/processes.ts';
import { clustersFolder, waitUntil } from '../../cluster/index.ts';

/** All of this machine that a cluster touches and that outlives a process: lists of lines by kind. */
export type Machine = Readonly<Record<string, readonly string[]>>;

const folders = [
  '/run',
  '/run/netns',
  '/etc/cni',
  '/etc/kubernetes',
  '/opt',
  '/var/lib',
  '/var/log',
  '/var/snap',
];
const namespaceKinds = ['mnt', 'pid', 'net', 'uts', 'ipc', 'cgroup', 'user'];

/** What belongs to clusters of other runs is left out: they may start and end meanwhile. */
export function machine(): Machine {
  const others = readClaims().filter(isOfAnotherRun);
  const foreign = others.flatMap(({ slot, dir }) => [
    new RegExp(`/?kcsi${slot}\\b`),
    new RegExp(`(^|=)${dir}\\b`),
  ]);
  const ours = (line: string) => !foreign.some((pattern) => pattern.test(line));
  const all = {
    claims: readClaims().map(({ dir }) => dir),
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split('\n'),
    links: list('/sys/class/net'),
    routes: readFileSync('/proc/net/route', 'utf8').split('\n'),
    loops: list('/sys/block').filter((name) => existsSync(`/sys/block/${name}/loop`)),
    fuse: list('/sys/fs/fuse/connections'),
    cgroups: cgroups(),
    sysctls: sysctls(),
    folders: [...folders, clustersFolder()].flatMap((folder) =>
      list(folder).map((name) => join(folder, name)),
    ),
    namespaces: namespaceKinds.flatMap((kind) => namespacesOf(kind, ours)),
  };
  const counts = (line: string) => line !== claimsFolder && ours(line);
  return Object.fromEntries(Object.entries(all).map(([kind, lines]) => [kind, lines.filter(counts)]));
}

const isOfAnotherRun = ({ owner }: Claim) =>
  owner === undefined || (owner.pid !== process.pid && isAlive(owner));

/** The kernel needs a moment to take namespaces and links apart when their last process is gone. */
export async function assertUnchanged(before: Machine): Promise<void> {
  const same = async () => {
    const { namespaces: left = [], ...rest } = machine();
    const { namespaces: known = [], ...expected } = before;
    assert.deepEqual(rest, expected);
    // Those of other processes may have ended meanwhile.
    assert.deepEqual(
      left.filter((namespace) => !known.includes(namespace)),
      [],
    );
    return true;
  };
  await waitUntil('the machine to be as before', same, { timeoutMs: 10_000, intervalMs: 500 });
}

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

/** The groups that anybody may have made at the top, and all below those that a container runtime makes. */
function cgroups(): string[] {
  return hierarchies().flatMap((hierarchy) => {
    const top = foldersIn(hierarchy);
    return [...top, ...top.filter((path) => /k8s\.io|kubepods|kcsi/.test(path)).flatMap(foldersBelow)];
  });
}

const foldersBelow = (path: string): string[] =>
  foldersIn(path).flatMap((child) => [child, ...foldersBelow(child)]);

function foldersIn(path: string): string[] {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(path, entry.name)] : [])).sort();
}

/** A node's cgroup or the environment tells which cluster a process belongs to; one that has ended has none. */
function namespacesOf(kind: string, ours: (line: string) => boolean): string[] {
  const links = list('/proc').flatMap((pid) => {
    const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '';
    const cgroup = attempt(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? '';
    if (environment === '' || ![cgroup, ...environment.split('\0')].every(ours)) return [];
    return attempt(() => readlinkSync(`/proc/${pid}/ns/${kind}`)) ?? [];
  });
  return [...new Set(links)].sort();
}

/** Values that the kernel counts or draws by itself. */
const volatile =
  /\/(random|sched_domain|pty\/nr|ns_last_pid|perf_event_max_sample_rate|neigh|nf_conntrack_count)/;

function sysctls(): string[] {
  const files = ['kernel', 'vm', 'net', 'fs/inotify'].flatMap((part) => filesBelow(join('/proc/sys', part)));
  const readable = files.filter((file) => !volatile.test(file));
  return readable.map(
    (file) => `${file} = ${attempt(() => readFileSync(file, 'utf8').trim()) ?? 'unreadable'}`,
  );
}

function filesBelow(path: string): string[] {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .sort();
}

/** Processes and links come and go while this looks. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
