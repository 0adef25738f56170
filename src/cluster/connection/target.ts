import type { ConnectOptions } from '../connect.ts';
import { KubeconfigError } from '../errors.ts';
import {
  type ClusterEntry,
  type ContextEntry,
  type Kubeconfig,
  kubeconfigFiles,
  loadKubeconfig,
  noKubeconfig,
  type UserEntry,
} from './kubeconfig.ts';
import { podCredentials } from './pod-credentials.ts';

/** Which API server, as whom, and in which namespace: kubeconfig and flags resolved. */
export interface Target {
  readonly context: string;
  readonly namespace: string;
  readonly cluster: ClusterEntry & { readonly server: string };
  readonly user: UserEntry;
  /** The user's name in the kubeconfig, for messages. */
  readonly userName: string;
}

/** @throws KubeconfigError with one sentence and what to type next. */
export function resolveTarget(options: ConnectOptions): Target {
  const config = loadKubeconfig(kubeconfigFiles(options.kubeconfig, options.env));
  const empty = config.contexts.size === 0 && config.clusters.size === 0;
  if (empty && !options.server) return podTarget(config, options);
  const [context, entry] = chooseContext(config, options);
  const cluster = chooseCluster(config, entry, options);
  const [userName, user] = chooseUser(config, entry, options);
  return {
    context,
    namespace: options.namespace ?? entry.namespace ?? 'default',
    cluster: withClusterFlags(cluster, options),
    user: withUserFlags(user, options),
    userName,
  };
}

/** Without a kubeconfig (or with an empty one) a pod's own credentials count, as for kubectl. */
function podTarget(config: Kubeconfig, options: ConnectOptions): Target {
  const pod = podCredentials(options.env, options.serviceAccountFolder);
  if (pod) {
    return {
      context: 'in-cluster',
      namespace: options.namespace ?? pod.namespace,
      cluster: withClusterFlags(pod.cluster, options),
      user: withUserFlags(pod.user, options),
      userName: 'in-cluster',
    };
  }
  if (config.source === '') throw noKubeconfig(options.env);
  throw new KubeconfigError(
    `kubeconfig ${config.source} is empty: it names no cluster`,
    'Fill it (kubectl config set-cluster ...), or name another with --kubeconfig FILE.',
  );
}

const oneOf = (names: Iterable<string>) => [...names].sort().join(', ') || 'none';

function chooseContext(config: Kubeconfig, options: ConnectOptions): [string, ContextEntry] {
  const name = options.context ?? config.currentContext;
  const entry = config.contexts.get(name);
  if (entry) return [name, entry];
  if (options.context || (name && !options.server && !options.cluster)) {
    throw new KubeconfigError(
      `kubeconfig ${config.source} has no context ${name}`,
      `Choose one with --context: ${oneOf(config.contexts.keys())}.`,
    );
  }
  if (options.server || options.cluster) return ['', {}];
  throw new KubeconfigError(
    `kubeconfig ${config.source} has no current context`,
    `Choose one with --context (${oneOf(config.contexts.keys())}), or kubectl config use-context NAME.`,
  );
}

function chooseCluster(config: Kubeconfig, context: ContextEntry, options: ConnectOptions): ClusterEntry {
  const name = options.cluster ?? context.cluster;
  const entry = name ? config.clusters.get(name) : undefined;
  if (entry) return entry;
  if (options.server && !options.cluster) return {};
  throw new KubeconfigError(
    `kubeconfig ${config.source || '(none)'} has no cluster ${name ?? ''}`.trimEnd(),
    `Choose one with --cluster: ${oneOf(config.clusters.keys())}.`,
  );
}

function chooseUser(config: Kubeconfig, context: ContextEntry, options: ConnectOptions): [string, UserEntry] {
  const name = options.user ?? context.user ?? '';
  const entry = config.users.get(name);
  if (entry || name === '' || options.token) return [name, entry ?? {}];
  throw new KubeconfigError(
    `kubeconfig ${config.source || '(none)'} has no user ${name}`,
    `Choose one with --user: ${oneOf(config.users.keys())}.`,
  );
}

function withClusterFlags(entry: ClusterEntry, options: ConnectOptions): Target['cluster'] {
  const { 'certificate-authority': file, 'certificate-authority-data': data, ...rest } = entry;
  const insecure = options.insecureSkipTlsVerify ?? entry['insecure-skip-tls-verify'] ?? false;
  const authority = {
    ...(file && { 'certificate-authority': file }),
    ...(data && { 'certificate-authority-data': data }),
  };
  return {
    ...rest,
    ...(insecure ? {} : authority),
    'insecure-skip-tls-verify': insecure,
    ...(options.tlsServerName && { 'tls-server-name': options.tlsServerName }),
    server: serverUrl(options.server ?? entry.server ?? ''),
  };
}

function serverUrl(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href.replace(/\/$/, '');
  throw new KubeconfigError(
    text
      ? `the server address ${text} is no http or https address`
      : 'the kubeconfig names no server address',
    'Give one with --server https://HOST:PORT, or repair the cluster entry in the kubeconfig.',
  );
}

function withUserFlags(entry: UserEntry, options: ConnectOptions): UserEntry {
  const { exec: _exec, 'auth-provider': _provider, tokenFile: _file, ...plain } = entry;
  const user = options.token ? { ...plain, token: options.token } : entry;
  return {
    ...user,
    ...(options.as && { as: options.as }),
    ...(options.asUid && { 'as-uid': options.asUid }),
    ...(options.asGroups?.length && { 'as-groups': options.asGroups }),
  };
}
