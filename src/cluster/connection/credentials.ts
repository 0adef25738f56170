import { readFileSync } from 'node:fs';
import { errorText } from '../../model/error-text.ts';
import { KubeconfigError } from '../errors.ts';
import { runExecPlugin } from './exec-plugin.ts';
import type { UserEntry } from './kubeconfig.ts';
import type { Target } from './target.ts';

/** What a request needs to be somebody. Certificate and key are PEM. */
export interface Credential {
  readonly authorization?: string;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface CredentialSource {
  /** The credential to use now; read or made again when the old one has run out. */
  current(): Promise<Credential>;
  /** The server refused it: forget it. False when there is nothing newer to be had. */
  forget(): boolean;
}

/** client-go reads a token file again after a minute at most (transport.NewCachedFileTokenSource). */
const tokenFileLifeMs = 60_000;
const never = Number.POSITIVE_INFINITY;

interface Timed {
  readonly credential: Credential;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Credentials of a kubeconfig user, with kubectl's order: token file, token, password, exec plugin; certificates beside. */
export function credentialSource(
  target: Target,
  env: Readonly<Record<string, string | undefined>>,
): CredentialSource {
  const certificate = clientCertificate(target.user);
  let held: Promise<Timed> | undefined;
  const fresh = () => {
    const made = obtain(target, env);
    made.catch(() => {
      if (held === made) held = undefined;
    });
    held = made;
    return made;
  };
  return {
    async current() {
      const now = await (held ?? fresh());
      const valid = now.until > Date.now() ? now : await fresh();
      return { ...certificate, ...valid.credential };
    },
    forget() {
      held = undefined;
      return Boolean(target.user.tokenFile || target.user.exec);
    },
  };
}

async function obtain(
  { user, cluster, userName }: Target,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Timed> {
  if (user.tokenFile) {
    const token = readPem(user.tokenFile, undefined, 'token file')?.toString().trim();
    return { credential: { authorization: `Bearer ${token}` }, until: Date.now() + tokenFileLifeMs };
  }
  if (user.token) return { credential: { authorization: `Bearer ${user.token}` }, until: never };
  if (user.username) {
    const pair = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    return { credential: { authorization: `Basic ${pair}` }, until: never };
  }
  if (user.exec) return fromPlugin(await runExecPlugin(user.exec, cluster, env));
  return { credential: fromProvider(user, userName), until: never };
}

function fromPlugin(answer: Awaited<ReturnType<typeof runExecPlugin>>): Timed {
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer;
  const credential = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(cert && key && { cert, key }),
  };
  return { credential, until: expirationTimestamp ? Date.parse(expirationTimestamp) : never };
}

/**
 * `oidc` is the one auth-provider that kubectl still knows (azure and gcp went with 1.26).
 * Refreshing rewrites the kubeconfig, which is kubectl's to do.
 */
function fromProvider({ 'auth-provider': provider }: UserEntry, userName: string): Credential {
  if (!provider) return {};
  if (provider.name !== 'oidc') {
    throw new KubeconfigError(
      `user ${userName} has auth-provider ${provider.name}, which no longer exists`,
      'Log in with the exec plugin of your cloud, as kubectl 1.26 and later want it.',
    );
  }
  const token = provider.config?.['id-token'] ?? '';
  if (tokenExpiry(token) > Date.now()) return { authorization: `Bearer ${token}` };
  throw new KubeconfigError(
    `the OIDC token of user ${userName} has run out`,
    'Run kubectl version once: it fetches a new one and writes it to the kubeconfig.',
  );
}

/** `exp` of a JSON web token in milliseconds; 0 where there is none to read. */
function tokenExpiry(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      exp?: number;
    };
    return (claims.exp ?? 0) * 1000;
  } catch {
    return 0;
  }
}

function clientCertificate(user: UserEntry): Credential {
  const cert = readPem(user['client-certificate'], user['client-certificate-data'], 'client certificate');
  const key = readPem(user['client-key'], user['client-key-data'], 'client key');
  if (Boolean(cert) !== Boolean(key)) {
    throw new KubeconfigError(
      `the kubeconfig names a client ${cert ? 'certificate without its key' : 'key without its certificate'}`,
      'Repair the user entry (kubectl config set-credentials NAME --client-certificate=FILE --client-key=FILE).',
    );
  }
  return cert && key ? { cert, key } : {};
}

/** Inline data (base64) wins over a file, as in client-go. */
export function readPem(
  file: string | undefined,
  data: string | undefined,
  what: string,
): Buffer | undefined {
  if (data) return Buffer.from(data, 'base64');
  if (!file) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    const next = 'Repair its path in the kubeconfig, or log in again.';
    throw new KubeconfigError(`the ${what} ${file} cannot be read: ${errorText(error)}`, next, {
      cause: error,
    });
  }
}
