import { containerIdIn } from '../../kubelet/container-id.ts';
import { hostPath } from '../../model/ids.ts';
import type {
  Holder,
  MountEvidence,
  MountNamespace,
  ObservedMount,
  PublishedTarget,
  StagedTarget,
  SubPathBind,
  TargetState,
} from '../../model/mounts.ts';
import { type Observed, seen, unseen } from '../../model/observed.ts';
import { first, legible, only } from '../../protocol/answers.ts';
import { openGuards } from '../../protocol/guards.ts';
import type {
  AgentRecord,
  HolderRecord,
  MountPresence,
  NamespaceRecord,
  StagedRecord,
  SubpathRecord,
  VolumeMountRecord,
  VolumeRecord,
} from '../../protocol/protocol.gen.ts';

/** The agent's `mounts` answer as evidence. An answer that was cut short proves nothing about what it lacks. */
export function mountEvidenceOf(
  records: readonly AgentRecord[],
  holders: readonly AgentRecord[],
  journals: readonly AgentRecord[] = [],
): Observed<MountEvidence> {
  const counts = first(records, 'mountCounts');
  if (counts.truncated)
    return unseen(`the node has more than the ${counts.mounts} mounts that the agent reports`);
  return seen({
    namespaces: only(records, 'namespace').map(namespaceOf),
    mounts: only(records, 'volumeMount').map(mountOf),
    published: only(records, 'volume').map(publishedOf),
    staged: only(records, 'staged').map(stagedOf),
    subPaths: only(records, 'subpath').map(subPathOf),
    holders: only(holders, 'holder').map(holderOf),
    unreadable: counts.unreadable,
    guards: openGuards(only(journals, 'journal')).map(({ target }) => hostPath(target)),
  });
}

/** Devices that do not answer: who holds something of them is asked next. */
export const silentDevices = (records: readonly AgentRecord[]): readonly string[] => [
  ...new Set(
    only(records, 'volumeMount')
      .filter(({ state }) => state === 'dead' || state === 'hung')
      .map(({ mount }) => mount.device),
  ),
];

const containerPart = (cgroup: readonly string[]) => {
  const containerId = containerIdIn(cgroup);
  return containerId ? { containerId } : {};
};

const namespaceOf = ({ inode, pid, startTicks, comm, cgroup, isHost }: NamespaceRecord): MountNamespace => ({
  inode,
  pid,
  startTicks,
  command: legible(comm),
  ...containerPart(cgroup),
  host: isHost,
});

const mountOf = (record: VolumeMountRecord): ObservedMount => {
  const { mount, namespace, state, errno, waiting, position, layers } = record;
  return {
    namespace,
    id: mount.id,
    device: mount.device,
    root: mount.root,
    mountPoint: mount.mountPoint,
    options: legible(mount.options),
    propagation: mount.shared !== null ? 'shared' : mount.master !== null ? 'slave' : 'private',
    fsType: legible(mount.fsType),
    source: legible(mount.source),
    state,
    ...(errno !== null && { errno }),
    ...(waiting !== null && { waiting }),
    layer: position,
    layers,
  };
};

const targetStates: Readonly<Record<MountPresence, TargetState>> = {
  mounted: 'mounted',
  bare: 'bare',
  file: 'bare',
  absent: 'absent',
  unseen: 'unseen',
};

const publishedOf = (record: VolumeRecord): PublishedTarget => ({
  path: hostPath(record.path),
  podUid: record.podUid,
  specName: record.specName,
  ...(record.volData !== null && { volData: record.volData }),
  state: targetStates[record.mount],
  guarded: record.guarded ?? false,
  files: record.files.map(legible),
});

const stagedOf = (record: StagedRecord): StagedTarget => ({
  path: hostPath(record.path),
  driver: record.driver,
  ...(record.volData !== null && { volData: record.volData }),
  state: targetStates[record.mount],
  guarded: record.guarded ?? false,
});

const subPathOf = ({ path, podUid, volume, container, index, mount }: SubpathRecord): SubPathBind => ({
  path: hostPath(path),
  podUid,
  volume,
  container,
  index,
  state: targetStates[mount],
});

const holderOf = (record: HolderRecord): Holder => ({
  pid: record.pid,
  command: legible(record.comm),
  ...containerPart(record.cgroup),
  device: record.device,
  descriptors: record.descriptors,
  workingDirectory: record.workingDirectory,
  mappings: record.mappings,
});
