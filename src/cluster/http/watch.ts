import { setTimeout as sleep } from 'node:timers/promises';
import type { Query, WatchEvent } from '../api.ts';
import { connectionError } from '../connection/connection-error.ts';
import type { Transport } from '../connection/transport.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { parseResourcePath } from '../resource-path.ts';
import { readLines } from './lines.ts';
import { withQuery } from './query.ts';
import { bodyStream, readBody, refusal, type StatusObject } from './reply.ts';

type AnyEvent<T> = WatchEvent<T> | { readonly type: 'ERROR'; readonly object: StatusObject };

/** The server ends a watch by itself; a limit on our side notices a connection that died in silence. */
const serverSeconds = 300;
const silenceMs = (serverSeconds + 30) * 1000;
const failuresInARow = 5;
const firstPauseMs = 100;

/**
 * Watches and goes on after an ended or broken connection: see Api.watch. Gives up after five failures in a row, about
 * three seconds.
 * @param pauseMs before the next connection; doubled with each failure
 */
export async function* watchEvents<T>(
  transport: Transport,
  path: string,
  query: Query,
  signal: AbortSignal,
  pauseMs = firstPauseMs,
): AsyncIterable<WatchEvent<T>> {
  let version = query.resourceVersion;
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const event of watchOnce<T>(
        transport,
        path,
        { ...query, resourceVersion: version },
        signal,
      )) {
        version = versionOf(event.object) ?? version;
        failures = 0;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (!(error instanceof ConnectionError) || failures >= failuresInARow) throw error;
    }
    await sleep(pauseMs * 2 ** failures, undefined, { signal }).catch(() => undefined);
  }
}

const versionOf = (object: unknown) =>
  (object as { metadata?: { resourceVersion?: string } } | undefined)?.metadata?.resourceVersion;

async function* watchOnce<T>(
  transport: Transport,
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncIterable<WatchEvent<T>> {
  const full = withQuery(path, {
    timeoutSeconds: serverSeconds,
    ...query,
    watch: true,
    allowWatchBookmarks: true,
  });
  const within = AbortSignal.any([signal, AbortSignal.timeout(silenceMs)]);
  const reply = await transport.send({ method: 'GET', path: full, signal: within });
  if (reply.statusCode !== 200) throw refusal(reply, await readBody(reply), 'watch', path);
  try {
    yield* events<T>(readLines(bodyStream(reply)), path);
  } catch (error) {
    throw error instanceof ApiError
      ? error
      : connectionError(error as Error, new URL(transport.server), within);
  } finally {
    reply.destroy();
  }
}

async function* events<T>(lines: AsyncIterable<string>, path: string): AsyncIterable<WatchEvent<T>> {
  for await (const line of lines) {
    const event = JSON.parse(line) as AnyEvent<T>;
    if (event.type === 'ERROR') throw watchError(event.object, path);
    yield event;
  }
}

const watchError = ({ message = 'the watch failed', reason = '', code = 500 }: StatusObject, path: string) =>
  new ApiError(message, { ...parseResourcePath(path), status: code, reason, verb: 'watch' });
