import type { Folder, InotifyLimits, KubeletProcess, NodeEvidence, Watch } from '../model/evidence.ts';
import { type Observed, seen, unseen, valueOr } from '../model/observed.ts';
import { isWatchFailure } from './watcher-log.ts';

/** How kubelet's inotify watch stands to the directory that it should watch. */
export type WatchState =
  /** Kubelet watches the directory that is there now. */
  | { readonly kind: 'right' }
  /** Something was mounted over the directory after the watch began: kubelet watches what is hidden below. */
  | { readonly kind: 'orphaned'; readonly mount: string }
  /** The directory was removed and made again; the watch went with the old one. */
  | { readonly kind: 'replaced'; readonly bornAt: string }
  /** No watch, and no instance or watch is left for kubelet's user. */
  | { readonly kind: 'exhausted'; readonly limit: string }
  | { readonly kind: 'missing' };

const sameInode = (folder: Folder) => (watch: Watch) =>
  watch.inode === folder.inode && watch.device === folder.device;

function exhaustedLimit(limits: InotifyLimits): string | undefined {
  if (limits.usedInstances >= limits.maxInstances)
    return `fs.inotify.max_user_instances is ${limits.maxInstances}, ${limits.usedInstances} are in use`;
  if (limits.usedWatches >= limits.maxWatches)
    return `fs.inotify.max_user_watches is ${limits.maxWatches}, ${limits.usedWatches} are in use`;
  return undefined;
}

/** Milliseconds after its start in which kubelet may have made the directory itself, just before it would watch it. */
const firstStartMs = 10_000;

const wasReplaced = (bornAt: string, { startedAt }: KubeletProcess) =>
  Date.parse(bornAt) - Date.parse(startedAt) > firstStartMs;

/** /proc/PID/fdinfo names inode and device of every watch (fs/notify/fdinfo.c): the proof of where kubelet looks. */
export function watchStateOf(evidence: NodeEvidence): Observed<WatchState> {
  const { registry, watches, kubelet, limits, watcherLog } = evidence;
  if (!registry.seen) return unseen(registry.why);
  if (!watches.seen) return unseen(watches.why);
  if (watches.value.some(sameInode(registry.value))) return seen({ kind: 'right' });
  if (registry.value.mount.mountPoint === registry.value.path)
    return seen({ kind: 'orphaned', mount: registry.value.mount.source });
  const { bornAt } = registry.value;
  const began = !valueOr(watcherLog, []).some(isWatchFailure);
  if (began && bornAt && kubelet.seen && wasReplaced(bornAt, kubelet.value))
    return seen({ kind: 'replaced', bornAt });
  const limit = limits.seen ? exhaustedLimit(limits.value) : undefined;
  return seen(limit ? { kind: 'exhausted', limit } : { kind: 'missing' });
}
