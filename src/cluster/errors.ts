import { describeResource, type ResourcePath, resourceText } from './resource-path.ts';

/** A failure that names its own remedy. `next` is what to type or to ask for next, as one sentence. */
export abstract class ClusterError extends Error {
  /** Written out: a bundler may rename classes. */
  abstract override readonly name: string;
  readonly next: string;

  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/** The kubeconfig, or what it points to, cannot be used: the user's input is wrong, nothing was asked. */
export class KubeconfigError extends ClusterError {
  override readonly name = 'KubeconfigError';
}

export type ConnectionFailure =
  | 'refused'
  | 'unknown-host'
  | 'tls'
  | 'timeout'
  | 'proxy'
  | 'broken'
  | 'not-kubernetes';

/** No answer came from the API server. */
export class ConnectionError extends ClusterError {
  override readonly name = 'ConnectionError';
  readonly failure: ConnectionFailure;

  constructor(failure: ConnectionFailure, message: string, next: string, options?: ErrorOptions) {
    super(message, next, options);
    this.failure = failure;
  }
}

export interface ApiErrorFields extends ResourcePath {
  /** HTTP status. */
  readonly status: number;
  /** `reason` of the server's Status object, such as `NotFound`; empty where it sent none. */
  readonly reason: string;
  /** RBAC's word: get, list, watch, create, update, patch, delete. */
  readonly verb: string;
  /** Seconds that the server asks to wait (`Retry-After`). */
  readonly retryAfter?: number;
}

/** The API server (or a proxy before it) said no. The message is in its words. */
export class ApiError extends ClusterError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly objectName: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, fields: ApiErrorFields) {
    super(message, nextStep(fields));
    this.status = fields.status;
    this.reason = fields.reason;
    this.verb = fields.verb;
    this.group = fields.group;
    this.resource = fields.resource;
    this.subresource = fields.subresource;
    this.namespace = fields.namespace;
    this.objectName = fields.name;
    this.retryAfter = fields.retryAfter;
  }
}

function nextStep(fields: ApiErrorFields): string {
  switch (fields.status) {
    case 401:
      return 'The server does not accept these credentials: log in again, or choose another user with --user or --context.';
    case 403:
      return `Ask for the right to ${fields.verb} ${describeResource(fields)}; ${canI(fields)} tells when you have it.`;
    case 404:
      return 'Check the name, and with kubectl config current-context that this is the cluster you mean.';
    case 429:
      return `The server is busy: try again in ${fields.retryAfter ?? 1} s.`;
    case 400:
    case 422:
      return 'The server finds fault with the request; its words say where.';
    default:
      return 'Try again; if it stays so, look at the log of kube-apiserver.';
  }
}

const canI = (fields: ApiErrorFields) =>
  `kubectl auth can-i ${fields.verb} ${resourceText(fields)}${fields.namespace ? ` -n ${fields.namespace}` : ''}`;

export const isApiError = (error: unknown) => error instanceof ApiError;

/** The server did not say no for certain: no answer came, or it or a proxy before it failed. */
export const isUncertain = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500);

const hasStatus = (status: number) => (error: unknown) =>
  error instanceof ApiError && error.status === status;

export const isUnauthorized = hasStatus(401);
export const isForbidden = hasStatus(403);
export const isNotFound = hasStatus(404);
/** 409 on a write whose `resourceVersion` is no longer the newest, and on a create of what exists. */
export const isConflict = hasStatus(409);
/** 410: a continue token or a resource version is older than what the server keeps. */
export const isGone = hasStatus(410);
