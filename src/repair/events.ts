import type { Finding } from '../model/finding.ts';
import type { Attempt, StepOutcome } from '../model/outcome.ts';
import type { Repair, RepairEvent } from './define-repair.ts';
import type { ObjectEvent, WorldPort } from './ports.ts';

interface Words {
  readonly done: string;
  readonly failed: string;
}

const ofNode: Words = { done: 'CSIRegistrationRestored', failed: 'CSIRegistrationRepairFailed' };
const ofPod: Words = { done: 'CSIMountRecovered', failed: 'CSIMountRecoveryFailed' };

/** A repair that brings its own words tells the node and what else it is about. */
async function recordOwn(
  event: RepairEvent,
  { step, result }: StepOutcome,
  { repair, detail, notes = [] }: Attempt,
  world: WorldPort,
): Promise<void> {
  const done = result === 'repaired';
  const told: ObjectEvent = {
    type: done ? 'Normal' : 'Warning',
    reason: done ? event.done : event.failed,
    message: `${repair} on ${step.node}: ${[detail, ...notes].join('; ')}`,
  };
  for (const object of [{ kind: 'Node', name: step.node } as const, ...event.about])
    await world.record(object, told);
}

/** Refusals and what was well already are no events: nothing happened. Volumes' events go to their pods. */
export async function recordOutcome(
  { step, result, attempts, left }: StepOutcome,
  world: WorldPort,
  repairs: readonly Repair[] = [],
): Promise<void> {
  const last = attempts.at(-1);
  if (!last || result === 'refused' || result === 'gone') return;
  const own = repairs.find(({ id }) => id === last.repair)?.event;
  if (own) return recordOwn(own, { step, result, attempts, left }, last, world);
  const done = result === 'repaired';
  const ofVolumes = step.findings.filter(({ subject }) => subject.volume !== undefined);
  for (const finding of ofVolumes) {
    const { pod } = finding.subject;
    if (pod) await world.record({ kind: 'Pod', ...pod }, eventOf(ofPod, done, last, [finding]));
  }
  if (ofVolumes.length === 0)
    await world.record({ kind: 'Node', name: step.node }, eventOf(ofNode, done, last, step.findings));
}

function eventOf(
  words: Words,
  done: boolean,
  { repair, detail }: Attempt,
  findings: readonly Finding[],
): ObjectEvent {
  const what = findings.map(({ summary }) => summary).join('; ');
  return done
    ? {
        type: 'Normal',
        reason: words.done,
        message: what ? `repaired by ${repair}; it was: ${what}` : repair,
      }
    : { type: 'Warning', reason: words.failed, message: `${repair}: ${detail}${what && ` (${what})`}` };
}
