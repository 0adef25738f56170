import { type Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createAgent } from './agent.ts';
import { connectionError } from './connection-error.ts';
import { type Credential, credentialSource } from './credentials.ts';
import type { UserEntry } from './kubeconfig.ts';
import type { Target } from './target.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Exchange {
  readonly method: Method;
  /** Path with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** What every request to the server carries, ready for node:https and for `ws`. */
export interface Access {
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

export interface Transport {
  readonly server: string;
  /** @throws KubeconfigError when credentials cannot be had. */
  access(path: string): Promise<Access>;
  /** Sends one request; resolves with the head of the answer. @throws ConnectionError */
  send(exchange: Exchange): Promise<IncomingMessage>;
  /** The server said 401: false when asking again cannot help. */
  forgetCredentials(): boolean;
}

export function createTransport(
  target: Target,
  env: Readonly<Record<string, string | undefined>>,
  userAgent: string,
): Transport {
  const credentials = credentialSource(target, env);
  const agentFor = agentCache(target, env);
  const fixed = { 'user-agent': userAgent, ...impersonation(target.user) };

  async function access(path: string): Promise<Access> {
    const credential = await credentials.current();
    const { authorization } = credential;
    const headers = { ...fixed, ...(authorization && { authorization }) };
    return { url: new URL(target.cluster.server + path), agent: await agentFor(credential), headers };
  }

  async function send(exchange: Exchange): Promise<IncomingMessage> {
    exchange.signal.throwIfAborted();
    return sendOnce(await access(exchange.path), exchange);
  }

  return { server: target.cluster.server, access, send, forgetCredentials: () => credentials.forget() };
}

/** One agent as long as the client certificate stays the same, so that connections are used again. */
function agentCache(target: Target, env: Readonly<Record<string, string | undefined>>) {
  let held: { readonly cert: Credential['cert']; readonly agent: Promise<Agent> } | undefined;
  return (credential: Credential) => {
    if (!held || held.cert !== credential.cert) {
      held = { cert: credential.cert, agent: createAgent(target, credential, env) };
    }
    return held.agent;
  };
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
function impersonation(user: UserEntry): Record<string, string | string[]> {
  const extra = Object.entries(user['as-user-extra'] ?? {}).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, [...values]] as const,
  );
  return {
    ...(user.as && { 'impersonate-user': user.as }),
    ...(user['as-uid'] && { 'impersonate-uid': user['as-uid'] }),
    ...(user['as-groups']?.length && { 'impersonate-group': [...user['as-groups']] }),
    ...Object.fromEntries(extra),
  };
}

function sendOnce(access: Access, exchange: Exchange): Promise<IncomingMessage> {
  const body = exchange.body === undefined ? undefined : Buffer.from(exchange.body);
  const headers = {
    accept: 'application/json',
    ...access.headers,
    ...exchange.headers,
    ...(body && { 'content-length': String(body.length) }),
  };
  const options: RequestOptions = {
    method: exchange.method,
    agent: access.agent,
    headers,
    signal: exchange.signal,
  };
  const start = access.url.protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const request = start(access.url, options, resolve);
    request.on('error', (error) => reject(connectionError(error, access.url, exchange.signal)));
    request.end(body);
  });
}
