import { setTimeout as sleep } from 'node:timers/promises';
import { readWorkload } from '../../cluster/workloads/objects.ts';
import type { WorkloadRef } from '../../model/workload.ts';
import { type Rollout, rolloutOf } from '../../workload/rollout.ts';
import type { Facts } from './facts.ts';

export interface Waited {
  readonly rollout: Rollout;
  /** The time ran out. */
  readonly late: boolean;
}

const pauseMs = 1_000;

/** Waits until all pods follow the template, the time has run out, or the user interrupts. */
export async function awaitRollout(
  facts: Facts,
  ref: WorkloadRef,
  timeoutMs: number,
  tell: (text: string) => void,
): Promise<Waited> {
  const end = timeoutMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  let rollout: Rollout = { done: false, text: 'not looked at' };
  while (!facts.signal.aborted) {
    const object = await readWorkload(facts.api, ref, facts.signal).catch((error: unknown) => {
      if (!facts.signal.aborted) throw error;
    });
    if (!object) break;
    rollout = rolloutOf(object);
    if (rollout.done || rollout.stuck) return { rollout, late: false };
    if (Date.now() > end) return { rollout, late: true };
    tell(rollout.text);
    await sleep(pauseMs, undefined, { signal: facts.signal }).catch(() => undefined);
  }
  return { rollout, late: false };
}
