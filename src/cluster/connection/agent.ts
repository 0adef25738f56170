import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { errorText } from '../../model/error-text.ts';
import { KubeconfigError } from '../errors.ts';
import { type Credential, readPem } from './credentials.ts';
import type { ClusterEntry } from './kubeconfig.ts';
import { proxyFromEnv } from './proxy.ts';
import type { Target } from './target.ts';

/** Below what load balancers in front of API servers allow an idle connection (the shortest known: 60 s). */
const idleLimitMs = 20_000;

/** The agent that reaches the target's server: TLS, client certificate, and a proxy where one is asked for. */
export async function createAgent(
  { cluster }: Target,
  credential: Credential,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HttpAgent> {
  const server = new URL(cluster.server);
  const proxy = cluster['proxy-url'] || proxyFromEnv(server, env);
  const tls = server.protocol === 'https:' ? tlsOptions(cluster, credential) : {};
  const options = { ...tls, keepAlive: true, timeout: idleLimitMs };
  if (proxy?.startsWith('socks')) return socksAgent(proxy, options);
  const through = { ...options, ...(proxy && { proxyEnv: throughProxy(httpProxy(proxy)) }) };
  return server.protocol === 'https:' ? new HttpsAgent(through) : new HttpAgent(through);
}

/** Loaded only for those who need it: it costs start-up time. */
async function socksAgent(proxy: string, options: AgentOptions): Promise<HttpAgent> {
  const { SocksProxyAgent } = await import('socks-proxy-agent');
  return new SocksProxyAgent(proxy, options as object);
}

/** Node's agents speak to a proxy by themselves from 22.21 on; what is exempt was decided before. */
const throughProxy = (proxy: string) => ({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy });

function httpProxy(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new KubeconfigError(
    `the proxy address ${text} is neither http, https nor socks5`,
    'Repair proxy-url in the kubeconfig, or the variable HTTPS_PROXY.',
  );
}

function tlsOptions(cluster: ClusterEntry, credential: Credential): AgentOptions {
  const name = cluster['tls-server-name'];
  return {
    secureContext: secureContext(cluster, credential),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
    ...(name && { servername: name }),
  };
}

/** Made once for all connections, and early, so that a broken certificate is told from a broken connection. */
function secureContext(cluster: ClusterEntry, { cert, key }: Credential): SecureContext {
  const data = cluster['certificate-authority-data'];
  const own = readPem(cluster['certificate-authority'], data, 'certificate authority');
  const ca = own ?? (cluster['insecure-skip-tls-verify'] ? [] : publicAuthorities());
  try {
    return createSecureContext({ ca, ...(cert && key && { cert, key }) });
  } catch (error) {
    const why = `the kubeconfig's certificates cannot be used: ${errorText(error)}`;
    const next = 'Repair the cluster and user entries in the kubeconfig, or log in again.';
    throw new KubeconfigError(why, next, { cause: error });
  }
}

/** Node trusts its own list alone; kubectl trusts the machine's, where companies put theirs. */
const publicAuthorities = () => [...getCACertificates('default'), ...getCACertificates('system')];
