import { containerIdIn } from '../../kubelet/container-id.ts';
import type {
  Connect,
  NodeEvidence,
  OtherRegistry,
  RegistryEntry,
  SocketAnswer,
} from '../../model/evidence.ts';
import { type HostPath, hostPath } from '../../model/ids.ts';
import { mapSeen, type Observed, seen, type Unseen, unseen } from '../../model/observed.ts';
import { legible, only } from '../../protocol/answers.ts';
import type { AgentRecord, EntryRecord, RootRecord } from '../../protocol/protocol.gen.ts';
import { time } from './time.ts';

type Records = readonly AgentRecord[];

/** What each socket answered, by its entry's name. Sockets that nobody asked are absent. */
export type SocketAnswers = ReadonlyMap<string, Omit<SocketAnswer, 'connect'>>;

export const withAnswers = (evidence: NodeEvidence, answers: SocketAnswers): NodeEvidence => ({
  ...evidence,
  entries: mapSeen(evidence.entries, (entries) =>
    entries.map((entry) => withAnswer(entry, answers.get(entry.name))),
  ),
});

const withAnswer = (
  entry: RegistryEntry,
  answer: Omit<SocketAnswer, 'connect'> | undefined,
): RegistryEntry =>
  entry.socket && answer ? { ...entry, socket: { ...answer, connect: entry.socket.connect } } : entry;

/** What lies in a registry directory, sockets unasked. */
export function entriesOf(
  records: Records,
  root: RootRecord,
  unasked: string,
): Observed<readonly RegistryEntry[]> {
  const isOfRoot = (record: { at: number; root: string }) =>
    record.at === root.at && record.root === root.directory.path;
  const summary = only(records, 'entries').find(isOfRoot);
  if (!summary) return unseen(`${legible(root.registry.path)} is ${root.registry.state}`);
  if (summary.state !== 'present' || summary.truncated)
    return unseen(
      `${legible(root.registry.path)} could not be listed whole (${summary.truncated ? 'too many entries' : summary.state})`,
    );
  return seen(
    only(records, 'entry')
      .filter(isOfRoot)
      .map((entry) => entryOf(entry, unseen(unasked))),
  );
}

const kinds = {
  socket: 'socket',
  directory: 'directory',
  file: 'file',
  symlink: 'link',
  other: 'other',
  unreadable: 'other',
} as const;

const entryOf = (entry: EntryRecord, notAsked: Unseen): RegistryEntry => ({
  name: entry.name,
  kind: kinds[entry.type],
  changedAt: time(entry.mtime ?? 0),
  ...(entry.type === 'socket' && {
    socket: {
      connect: connectOf(entry),
      asked: false,
      registration: notAsked,
      driver: notAsked,
      speaksCsi: false,
    },
  }),
});

function connectOf({ connection, connectErrno, peer }: EntryRecord): Connect {
  switch (connection) {
    case 'accepted':
      return { state: 'accepted', ...(peer && peer.pid > 0 && { listener: listenerOf(peer) }) };
    case 'refused':
      return { state: 'refused' };
    case 'hung':
      return { state: 'silent' };
    default:
      return { state: 'failed', errno: connectErrno ?? 'unknown' };
  }
}

function listenerOf({ pid, comm, cgroup, startTicks }: NonNullable<EntryRecord['peer']>) {
  const containerId = containerIdIn(cgroup);
  return {
    pid,
    startTicks: startTicks ?? '0',
    command: legible(comm ?? ''),
    ...(containerId && { containerId }),
  };
}

/** Registries of other roots in which sockets stand. */
export function otherRegistries(records: Records, used: Observed<RootRecord>): readonly OtherRegistry[] {
  const usedPath = used.seen ? used.value.directory.path : undefined;
  const others = only(records, 'root').filter(({ directory }) => directory.path !== usedPath);
  return others.flatMap(({ directory }): readonly OtherRegistry[] => {
    const sockets = only(records, 'entry').filter(
      (entry) => entry.root === directory.path && entry.type === 'socket',
    );
    const root: HostPath = hostPath(directory.path);
    return sockets.length > 0 ? [{ root, sockets: sockets.map((entry) => legible(entry.name)) }] : [];
  });
}
