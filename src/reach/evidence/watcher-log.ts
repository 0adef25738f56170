import type { LogLine, NodeEvidence } from '../../model/evidence.ts';
import { seen, unseen } from '../../model/observed.ts';
import { first, legible, only } from '../../protocol/answers.ts';
import type { AgentRecord, LogLineRecord } from '../../protocol/protocol.gen.ts';

/**
 * The agent's `kubelet-log` answer as evidence. A log that begins later than kubelet did and holds no such line is
 * unseen: the line may have been in what is gone.
 */
export function watcherLogOf(records: readonly AgentRecord[]): NodeEvidence['watcherLog'] {
  const { source, path, truncated } = first(records, 'logCounts');
  const lines = only(records, 'logLine').map(logLine);
  if (lines.length > 0 || !truncated) return seen(lines);
  const place = source === 'journal' || path === null ? 'in the journal' : `at ${legible(path)}`;
  return unseen(`kubelet's log ${place} begins later than kubelet was started`);
}

const logLine = ({ line, at }: LogLineRecord): LogLine => ({
  text: legible(line),
  ...(at !== null && { at: new Date(at * 1000).toISOString() }),
});
