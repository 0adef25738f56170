import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks until the answer is undefined (nothing is wrong any more), or the time is up.
 * @param limitMs milliseconds
 * @returns the last answer: what is still wrong, or undefined
 */
export async function untilWell(
  ask: () => Promise<string | undefined>,
  limitMs: number,
  signal: AbortSignal,
  everyMs = 250,
): Promise<string | undefined> {
  const end = Date.now() + limitMs;
  for (;;) {
    const wrong = await ask();
    if (wrong === undefined || Date.now() >= end) return wrong;
    await sleep(everyMs, undefined, { signal });
  }
}
