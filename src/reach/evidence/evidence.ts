import { withoutSecrets } from '../../kubelet/secret-words.ts';
import type { Folder, HostFacts, InotifyLimits, KubeletProcess, NodeEvidence } from '../../model/evidence.ts';
import { hostPath } from '../../model/ids.ts';
import { mapSeen, type Observed, seen, unseen } from '../../model/observed.ts';
import { legible, only } from '../../protocol/answers.ts';
import type { AgentRecord, Directory, ProcessRecord, RootRecord } from '../../protocol/protocol.gen.ts';
import { entriesOf, otherRegistries } from './entries.ts';
import { time } from './time.ts';

type Records = readonly AgentRecord[];

/**
 * The agent's `observe` answer as evidence; what the sockets answered is added by `withAnswers`.
 * @param unasked why sockets have no answer, and mounts were not looked at, until then
 */
export function evidenceOf(records: Records, takenAt: string, unasked?: string): NodeEvidence {
  const process = kubeletOf(records);
  const root = process.seen ? rootOf(records, process.value) : process;
  return {
    takenAt,
    host: hostOf(records),
    kubelet: mapSeen(process, kubeletProcess),
    root: flat(root, (record) => folderOf(record.directory)),
    registry: flat(root, (record) => folderOf(record.registry)),
    watches: process.seen ? watchesOf(records, process.value) : process,
    limits: process.seen ? limitsOf(records, process.value) : process,
    entries: flat(root, (record) => entriesOf(records, record, unasked ?? 'the socket was not asked')),
    otherRegistries: otherRegistries(records, root),
    watcherLog: unseen("kubelet's log was not read"),
    mounts: unseen(unasked ?? 'mounts were not looked at'),
  };
}

const flat = <T, U>(observed: Observed<T>, next: (value: T) => Observed<U>): Observed<U> =>
  observed.seen ? next(observed.value) : observed;

/**
 * The node's own kubelet. A machine that runs nested clusters shows their kubelets as well; those live in another
 * mount namespace than PID 1.
 */
function kubeletOf(records: Records): Observed<ProcessRecord> {
  const all = only(records, 'process');
  const own = all.filter((process) => process.mountNamespace === process.hostMountNamespace);
  const candidates = own.length > 0 ? own : all;
  const [process, another] = candidates;
  if (!process) return unseen('no kubelet process is visible on the node');
  return another
    ? unseen(
        `several processes look like kubelet: ${candidates.map(({ pid, comm }) => `${pid} (${comm})`).join(', ')}`,
      )
    : seen(process);
}

const kubeletProcess = (process: ProcessRecord): KubeletProcess => ({
  pid: process.pid,
  startTicks: process.startTicks,
  startedAt: time(process.startedAt),
  command: legible(process.comm),
  argv: withoutSecrets(process.argv.map(legible)),
  uid: process.uid,
  parent: { pid: process.ppid, command: legible(process.parentComm ?? '') },
  cgroups: process.cgroup.map(legible),
});

function rootOf(records: Records, { pid }: ProcessRecord): Observed<RootRecord> {
  const own = only(records, 'root').filter((root) => root.kubelet === pid);
  const root = own.find(({ registry }) => registry.state === 'present') ?? own[0];
  return root ? seen(root) : unseen('the agent did not find the root of kubelet');
}

function folderOf({ path, state, errno, inode, mode, born, mount, layers }: Directory): Observed<Folder> {
  if (state !== 'present' || inode === null || mode === null || mount === null)
    return unseen(`${legible(path)} is ${state}${errno ? ` (${errno})` : ''}`);
  const propagation = mount.shared !== null ? 'shared' : mount.master !== null ? 'slave' : 'private';
  return seen({
    path: hostPath(path),
    inode,
    device: mount.device,
    ...(born !== null && { bornAt: time(born) }),
    mode: `0${mode.toString(8)}`,
    mount: {
      mountPoint: hostPath(mount.mountPoint),
      fsType: legible(mount.fsType),
      source: legible(mount.source),
      options: legible(mount.options),
      propagation,
      layers: layers ?? 0,
    },
  });
}

function watchesOf(records: Records, { pid }: ProcessRecord): NodeEvidence['watches'] {
  const summary = only(records, 'watches').find((watches) => watches.pid === pid);
  if (!summary?.readable) return unseen("kubelet's inotify watches may not be read");
  if (summary.truncated)
    return unseen(`kubelet has ${summary.watches} inotify watches, more than the agent reports`);
  const own = only(records, 'watch').filter((watch) => watch.pid === pid);
  return seen(own.map(({ inode, device }) => ({ inode, device })));
}

function limitsOf(records: Records, { uid }: ProcessRecord): Observed<InotifyLimits> {
  const limits = only(records, 'limits')[0];
  const usage = only(records, 'usage').find((each) => each.uid === uid);
  if (!limits || !usage) return unseen('the agent did not report the inotify limits');
  const { maxUserInstances, maxUserWatches, maxQueuedEvents } = limits;
  if (maxUserInstances === null || maxUserWatches === null || maxQueuedEvents === null)
    return unseen('/proc/sys/fs/inotify may not be read');
  return seen({
    maxInstances: maxUserInstances,
    usedInstances: usage.instances,
    maxWatches: maxUserWatches,
    usedWatches: usage.watches,
    maxQueuedEvents,
  });
}

function hostOf(records: Records): Observed<HostFacts> {
  const host = only(records, 'host')[0];
  const hello = only(records, 'hello')[0];
  if (!host || !hello) return unseen('the agent did not report the host');
  return seen({
    kernel: hello.kernel,
    bootId: hello.bootId ?? '',
    osName: legible(host.osName ?? ''),
    systemd: host.systemd ?? false,
    selinux: host.selinux === 'enforcing' || host.selinux === 'permissive' ? host.selinux : 'off',
  });
}
