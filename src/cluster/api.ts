import type { ExecStream } from './http/exec.ts';

/** Values that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call; 0 waits for ever. The connection's own limit where absent. */
  readonly timeoutMs?: number | undefined;
}

/** What the server made of a write. */
export interface Created<T> {
  readonly object: T;
  /** The server's `Warning` headers (RFC 7234): deprecations, Pod Security in warn mode. */
  readonly warnings: readonly string[];
}

export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface ExecOptions {
  readonly stdin?: boolean;
  readonly signal: AbortSignal;
}

/**
 * The API server. Every call throws ApiError (the server said no), ConnectionError (no answer),
 * KubeconfigError (no credentials), or the signal's own reason when it aborts.
 * A server-side dry run is `{ dryRun: 'All' }` in the query.
 */
export interface Api {
  readonly server: string;
  get<T>(path: string, query?: Query, options?: CallOptions): Promise<T>;
  /** The answer as it is: kubelet's metrics, logs. */
  text(path: string, query?: Query, options?: CallOptions): Promise<string>;
  /** All items, in pages of 500. A continue token that expires on the way (410) starts the list once more. */
  list<T>(path: string, query?: Query, options?: CallOptions): Promise<readonly T[]>;
  create<T>(path: string, object: object, query?: Query, options?: CallOptions): Promise<Created<T>>;
  patch<T>(path: string, body: unknown, type: PatchType, query?: Query, options?: CallOptions): Promise<T>;
  /** DELETE; the body is DeleteOptions (preconditions, grace period, propagation). */
  remove(path: string, body?: object, query?: Query, options?: CallOptions): Promise<void>;
  /**
   * Events from `resourceVersion` of the query on. A connection that ends or breaks is opened again where it
   * stopped; a version that is too old (410, isGone) is thrown: list again. Ends when the signal aborts.
   */
  watch<T>(path: string, query: Query, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
  /** Runs a command in a container over a WebSocket. */
  exec(target: ExecTarget, command: readonly string[], options: ExecOptions): Promise<ExecStream>;
}
