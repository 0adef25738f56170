import { errorText } from '../model/error-text.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import { ApiError } from './errors.ts';
import { resourceText } from './resource-path.ts';

/** A read that may fail: its value, or the reason in words, with the right that is missing. An abort is thrown on. */
export async function attempt<T>(read: Promise<T>, signal: AbortSignal): Promise<Observed<T>> {
  try {
    return seen(await read);
  } catch (error) {
    signal.throwIfAborted();
    return unseen(reasonText(error));
  }
}

function reasonText(error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 403) return errorText(error);
  return `no right to ${error.verb} ${resourceText(error)}`;
}
