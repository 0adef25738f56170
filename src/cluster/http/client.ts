import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, CallOptions, Created, PatchType, Query } from '../api.ts';
import { connectionError } from '../connection/connection-error.ts';
import type { Method, Transport } from '../connection/transport.ts';
import { ApiError, ConnectionError, isUnauthorized } from '../errors.ts';
import { listPages } from './list.ts';
import { withQuery } from './query.ts';
import { readBody, refusal, warningsOf } from './reply.ts';
import { watchEvents } from './watch.ts';

const defaultTimeoutMs = 30_000;
const retries = 2;
const longestWaitSeconds = 10;
const never = new AbortController().signal;

interface Call extends CallOptions {
  readonly method: Method;
  readonly verb: string;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

interface Answer {
  readonly text: string;
  readonly reply: IncomingMessage;
}

const patchTypes: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** @param timeoutMs for each call that names no limit of its own; 0 waits for ever. */
export function createApi(transport: Transport, timeoutMs = defaultTimeoutMs): Api {
  const call = (request: Call) => answer(transport, { timeoutMs, ...defined(request) });
  const json = async <T>(request: Call) => parseJson<T>(transport, request, (await call(request)).text);
  const get = <T>(path: string, query?: Query, options?: CallOptions) =>
    json<T>({ method: 'GET', verb: 'get', path, query, ...options });

  return {
    server: transport.server,
    get,
    async text(path, query, options) {
      return (await call({ method: 'GET', verb: 'get', path, query, accept: '*/*', ...options })).text;
    },
    list: (path, query, options) =>
      listPages((page) =>
        json({ method: 'GET', verb: 'list', path, query: { ...query, ...page }, ...options }),
      ),
    async create<T>(path: string, body: object, query?: Query, options?: CallOptions): Promise<Created<T>> {
      const request: Call = { method: 'POST', verb: 'create', path, query, body, ...options };
      const { text, reply } = await call(request);
      return { object: parseJson<T>(transport, request, text), warnings: warningsOf(reply) };
    },
    patch: (path, body, type, query, options) =>
      json({ method: 'PATCH', verb: 'patch', path, query, body, contentType: patchTypes[type], ...options }),
    async remove(path, body, query, options) {
      await call({ method: 'DELETE', verb: 'delete', path, query, body, ...options });
    },
    watch: (path, query, signal) => watchEvents(transport, path, query, signal),
    async exec(target, command, options) {
      const { openExec } = await import('./exec.ts');
      return openExec(transport, target, command, options);
    },
  };
}

const defined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;

/** The caller's signal and the time limit as one. */
function limited({ signal = never, timeoutMs = 0 }: CallOptions): AbortSignal {
  return timeoutMs > 0 ? AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) : signal;
}

async function answer(transport: Transport, call: Call): Promise<Answer> {
  const signal = limited(call);
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(transport, call, signal);
    } catch (error) {
      const wait = attempt < retries ? retryAfter(call, error) : undefined;
      if (wait === undefined) throw error;
      await sleep(wait * 1000, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

/** Seconds until a read may be tried again; undefined where it may not. Writes are never repeated. */
function retryAfter(call: Call, error: unknown): number | undefined {
  if (call.method !== 'GET') return undefined;
  if (error instanceof ApiError && error.status === 429 && error.retryAfter !== undefined) {
    return error.retryAfter <= longestWaitSeconds ? error.retryAfter : undefined;
  }
  return error instanceof ConnectionError && error.failure === 'broken' ? 0.1 : undefined;
}

async function attemptOnce(transport: Transport, call: Call, signal: AbortSignal): Promise<Answer> {
  try {
    return await exchange(transport, call, signal);
  } catch (error) {
    if (!isUnauthorized(error) || !transport.forgetCredentials()) throw error;
    return exchange(transport, call, signal);
  }
}

async function exchange(transport: Transport, call: Call, signal: AbortSignal): Promise<Answer> {
  const path = withQuery(call.path, call.query);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = {
    'accept-encoding': 'gzip',
    ...(call.accept && { accept: call.accept }),
    ...(body !== undefined && { 'content-type': call.contentType ?? 'application/json' }),
  };
  const reply = await transport.send({
    method: call.method,
    path,
    headers,
    signal,
    ...(body !== undefined && { body }),
  });
  const text = await readBody(reply).catch((error: Error) => {
    throw connectionError(error, new URL(transport.server), signal);
  });
  if ((reply.statusCode ?? 0) >= 300) throw refusal(reply, text, call.verb, call.path);
  return { text, reply };
}

function parseJson<T>(transport: Transport, call: Call, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    const what = `${transport.server}${call.path} did not answer with JSON: it is no Kubernetes API server, or a proxy answers in its place`;
    const next = 'Check the server address: kubectl config view --minify.';
    throw new ConnectionError('not-kubernetes', what, next, { cause: error });
  }
}
