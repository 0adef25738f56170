import { lossyFileSystem } from '../kubelet/file-systems.ts';
import { type WatchState, watchStateOf } from '../kubelet/watch-state.ts';
import { isOverflow, isWatchFailure } from '../kubelet/watcher-log.ts';
import type { LogLine, NodeEvidence } from '../model/evidence.ts';
import type { Proof } from '../model/finding.ts';
import { valueOr } from '../model/observed.ts';
import { answeringSockets } from './registration.ts';
import type { DriverView } from './view.ts';

export type LossReason =
  | 'queue-overflow'
  | 'orphaned-watch'
  | 'directory-replaced'
  | 'no-watch'
  | 'watches-exhausted'
  | 'events-not-delivered'
  | 'registration-failed'
  | 'unknown';

export interface Loss {
  readonly reason: LossReason;
  readonly proofs: readonly Proof[];
  /** The limit that must be raised before a repair can help. */
  readonly limit?: string;
}

const stateWords = (state: WatchState): string => {
  switch (state.kind) {
    case 'right':
      return 'kubelet watches this directory';
    case 'orphaned':
      return `${state.mount} is mounted over the directory, and no watch of kubelet is on what is visible now`;
    case 'replaced':
      return `the directory was made at ${state.bornAt}, after kubelet had started`;
    case 'exhausted':
      return `kubelet has no watch on the directory; ${state.limit}`;
    case 'missing':
      return 'kubelet has no watch on the directory';
  }
};

const fdinfo = 'inotify lines of /proc/KUBELET/fdinfo against the directory';

const kubeletLog = "kubelet's log";

/** The line that says that kubelet's watch never began, as the last proof of a missing watch. */
const watchFailure = ({ watcherLog }: NodeEvidence): readonly Proof[] =>
  valueOr(watcherLog, [])
    .filter(isWatchFailure)
    .slice(-1)
    .map(({ text }) => ({ what: text, source: kubeletLog }));

/** Why kubelet did not see a socket that stands in its registry and answers. The first proof that holds decides. */
export function lossOf(driver: DriverView, evidence: NodeEvidence): Loss {
  const state = watchStateOf(evidence);
  const failure = watchFailure(evidence);
  if (!state.seen)
    return {
      reason: failure.length > 0 ? 'no-watch' : 'unknown',
      proofs: [{ what: state.why, source: fdinfo }, ...failure],
    };
  const watch: Proof = { what: stateWords(state.value), source: fdinfo };
  switch (state.value.kind) {
    case 'right': {
      const loss = lossWithWatch(driver, evidence);
      return { ...loss, proofs: [watch, ...loss.proofs] };
    }
    case 'orphaned':
      return { reason: 'orphaned-watch', proofs: [watch] };
    case 'exhausted':
      return { reason: 'watches-exhausted', proofs: [watch, ...failure], limit: state.value.limit };
    case 'replaced':
      return { reason: 'directory-replaced', proofs: [watch] };
    case 'missing':
      return { reason: 'no-watch', proofs: [watch, ...failure] };
  }
}

function lossWithWatch(driver: DriverView, evidence: NodeEvidence): Loss {
  if (valueOr(driver.desired, false))
    return {
      reason: 'registration-failed',
      proofs: [
        {
          what: 'kubelet saw the socket and its registration failed',
          source: 'plugin_manager_total_plugins',
        },
      ],
    };
  const { selfTest, registry } = evidence;
  if (selfTest?.seen && selfTest.value.delivered < selfTest.value.sent)
    return {
      reason: 'events-not-delivered',
      proofs: [
        {
          what: `${selfTest.value.delivered} of ${selfTest.value.sent} events arrived`,
          source: 'self-test (--probe)',
        },
      ],
    };
  const overflow = overflowOf(driver, evidence);
  if (overflow) return { reason: 'queue-overflow', proofs: [{ what: overflow.text, source: kubeletLog }] };
  const lossy = registry.seen ? lossyFileSystem(registry.value.mount.fsType) : undefined;
  if (lossy)
    return {
      reason: 'events-not-delivered',
      proofs: [
        { what: `the registry is on ${lossy}, which loses events`, source: '/proc/KUBELET/mountinfo' },
      ],
    };
  return { reason: 'unknown', proofs: [{ what: logWords(evidence), source: kubeletLog }] };
}

/** The last overflow that can have dropped the event: kubelet logs it after the socket was bound. */
function overflowOf(driver: DriverView, { watcherLog }: NodeEvidence): LogLine | undefined {
  const bound = Math.min(...answeringSockets(driver).map(({ changedAt }) => Date.parse(changedAt)));
  return valueOr(watcherLog, []).findLast(
    (line) => isOverflow(line) && !(line.at !== undefined && Date.parse(line.at) < bound),
  );
}

const logWords = ({ watcherLog }: NodeEvidence) =>
  watcherLog.seen ? 'no overflow is logged since the socket was made' : `it was not read: ${watcherLog.why}`;
