import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds until waiting fails; 60,000 when left out. */
  readonly timeoutMs?: number;
  /** Milliseconds between two looks; 200 when left out. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a look saw: `done` ends the wait with a value, `failed` with an error, `seen` is what is still amiss. */
export type Look<T> = { readonly done: T } | { readonly seen: string } | { readonly failed: string };

/**
 * Looks again and again until `look` is done.
 *
 * A look that throws counts as not done yet, its message as what was seen. Throws after `timeoutMs`, and
 * says what it waited for and what it saw last.
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<Look<T>>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeoutMs = 60_000, intervalMs = 200, signal } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const saw: Look<T> = await look().catch((error: unknown) => ({ seen: String(error) }));
    if ('done' in saw) return saw.done;
    if ('failed' in saw) throw new Error(`waited for ${what}: ${saw.failed}`);
    if (Date.now() > deadline)
      throw new Error(`waited ${timeoutMs / 1000} s for ${what}; last seen: ${saw.seen}`);
    await sleep(intervalMs, undefined, { signal });
  }
}

/** Waits until a condition holds; `describe` says what is seen instead. */
export function waitUntil(
  what: string,
  condition: () => Promise<boolean>,
  options: WaitOptions & { readonly describe?: () => Promise<string> } = {},
): Promise<void> {
  const look = async (): Promise<Look<void>> => {
    if (await condition()) return { done: undefined };
    return { seen: (await options.describe?.()) ?? 'not yet' };
  };
  return waitFor(what, look, options);
}
