import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
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

export function machine(): Machine {
  return {
    mounts: readFileSync('/proc/self/mountinfo', 'utf8').split('\n'),
    links: list('/sys/class/net'),
    routes: readFileSync('/proc/net/route', 'utf8').split('\n'),
    loops: list('/sys/block').filter((name) => existsSync(`/sys/block/${name}/loop`)),
    fuse: list('/sys/fs/fuse/connections'),
    cgroups: foldersBelow('/sys/fs/cgroup'),
    sysctls: sysctls(),
    folders: [...folders, clustersFolder()].flatMap((folder) =>
      list(folder).map((name) => join(folder, name)),
    ),
    namespaces: namespaceKinds.flatMap(namespacesOf),
  };
}

/** The kernel needs a moment to take namespaces and links apart when their last process is gone. */
export async function assertUnchanged(before: Machine): Promise<void> {
  const same = async () => {
    assert.deepEqual(machine(), before);
    return true;
  };
  await waitUntil('the machine to be as before', same, { timeoutMs: 10_000, intervalMs: 500 });
}

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

function foldersBelow(path: string): string[] {
  const children = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return children
    .flatMap((entry) => [join(path, entry.name), ...foldersBelow(join(path, entry.name))])
    .sort();
}

function namespacesOf(kind: string): string[] {
  const links = list('/proc').flatMap((pid) => attempt(() => readlinkSync(`/proc/${pid}/ns/${kind}`)) ?? []);
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
