import type { Api } from './api.ts';
import { resolveTarget } from './connection/target.ts';
import { createTransport } from './connection/transport.ts';
import { createApi } from './http/client.ts';

/** kubectl's global flags, and the environment that they fall back to. */
export interface ConnectOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly namespace?: string | undefined;
  readonly as?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  readonly asUid?: string | undefined;
  /** For each request; 0 waits for ever, absent is 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  /** Sent as User-Agent, so that the server's audit log tells who asked. */
  readonly userAgent?: string | undefined;
  /** Where a pod finds its own token, certificate authority and namespace. */
  readonly serviceAccountFolder?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Connection {
  readonly api: Api;
  readonly namespace: string;
  readonly context: string;
}

/**
 * Resolves kubeconfig and flags to an Api. Nothing is sent yet, no plugin is run yet.
 * @throws KubeconfigError with one sentence and what to type next.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const target = resolveTarget(options);
  const transport = createTransport(target, options.env, options.userAgent ?? 'kubectl-csi');
  return {
    api: createApi(transport, options.requestTimeoutMs),
    namespace: target.namespace,
    context: target.context,
  };
}
