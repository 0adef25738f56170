import { errorText } from '../model/error-text.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import type { Api } from './api.ts';
import { ApiError, isNotFound } from './errors.ts';
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

/** As `attempt`, for one object by its name: that it does not exist is an answer too. */
export function readIfThere<T>(
  api: Api,
  path: string,
  signal: AbortSignal,
): Promise<Observed<T | undefined>> {
  const found = api.get<T>(path, {}, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  return attempt(found, signal);
}
