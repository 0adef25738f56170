import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../model/error-text.ts';
import { AgentError, BrokenError } from '../protocol/answers.ts';

/** Milliseconds: kubelet or the API server may start anew, and every stream to the node passes through both. */
const limitMs = 60_000;
const everyMs = 500;

/** Tells a connection that broke from an agent that said no. */
export async function telling<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AgentError) throw error;
    throw new BrokenError(errorText(error), { cause: error });
  }
}

/** Looks again while the connection is broken. For what changes nothing only. @throws BrokenError when it stays so */
export async function mendingPatiently<T>(
  look: () => Promise<T>,
  signal: AbortSignal,
  patienceMs = limitMs,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    try {
      return await telling(look(), signal);
    } catch (error) {
      if (!(error instanceof BrokenError) || Date.now() >= end) throw error;
    }
    await sleep(everyMs, undefined, { signal });
  }
}
