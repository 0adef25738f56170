import type { ReleasedRecord } from '../../protocol/protocol.gen.ts';
import { LeftError, type Work } from '../define-repair.ts';
import { untilWell } from '../wait.ts';
import { livingPlacesOf, unguardAll } from './guards.ts';
import { volumesOf } from './units.ts';

/** Milliseconds for what the driver has mounted to give its first answer. */
const lateLimitMs = 15_000;

/** @throws LeftError for a target that has neither its old state nor the new one, Error for one that has the other */
export function checkReleased(
  released: readonly ReleasedRecord[],
  expected: ReleasedRecord['outcome'],
  otherwise: string,
): void {
  const left = released.filter(
    ({ outcome, guarded, layers }) => outcome === 'left' || (guarded && layers > 0),
  );
  if (left.length > 0) throw new LeftError(otherwise, left.map(leftText));
  const other = released.find(({ outcome }) => outcome !== expected);
  if (other) throw new Error(other.reason ?? otherwise);
}

const leftText = ({ target, reason, guarded }: ReleasedRecord) =>
  `${target}: ${reason ?? 'bare'}${guarded ? ', write-protected' : ''}`;

/** The agent leaves the guard beneath a mount that gives no answer; kubelet could not remove the directory later. */
export const isLate = ({ guarded, layers }: ReleasedRecord) => guarded && layers > 0;

/** Waits for the mounts that were slow to answer, and takes the guards beneath them off. */
export async function answerLate(
  work: Work,
  released: readonly ReleasedRecord[],
): Promise<readonly ReleasedRecord[]> {
  const late = released.filter(isLate);
  const silent = await untilWell(() => silenceOf(work, late), lateLimitMs, work.signal, 1_000);
  if (silent) return released;
  await unguardAll(work.node, work.view, new Set(late.map(({ target }) => target)));
  return released.map((record) =>
    late.includes(record) ? { ...record, outcome: 'committed', guarded: false, reason: null } : record,
  );
}

async function silenceOf({ node, unit }: Work, late: readonly ReleasedRecord[]): Promise<string | undefined> {
  const living = livingPlacesOf(volumesOf(unit, await node.observeVolumes()));
  return late.find(({ target }) => !living.has(target))?.target;
}
