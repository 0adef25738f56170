import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { errorText } from '../../model/error-text.ts';
import { KubeconfigError } from '../errors.ts';

/** A kubeconfig in the words of its file format (k8s.io/client-go/tools/clientcmd/api/v1/types.go). */
export interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

export interface ExecEntry {
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
}

export interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecEntry;
  readonly 'auth-provider'?: { readonly name: string; readonly config?: Readonly<Record<string, string>> };
}

export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface Kubeconfig {
  /** Where it was read from, for messages. */
  readonly source: string;
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

const howToName = 'Name a kubeconfig with --kubeconfig FILE or the variable KUBECONFIG.';

/**
 * The files to read, in kubectl's order: `--kubeconfig`, else the list in KUBECONFIG, else `~/.kube/config`.
 * Of a list, files that do not exist are passed over.
 */
export function kubeconfigFiles(
  explicit: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (explicit) {
    if (!existsSync(explicit)) throw new KubeconfigError(`there is no kubeconfig ${explicit}`, howToName);
    return [explicit];
  }
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  const home = env.HOME ?? env.USERPROFILE;
  const wanted = listed.length > 0 ? listed : home ? [join(home, '.kube', 'config')] : [];
  return [...new Set(wanted)].filter((file) => existsSync(file));
}

/** No kubeconfig was found: says where it was looked for. */
export function noKubeconfig(env: Readonly<Record<string, string | undefined>>): KubeconfigError {
  const where = env.KUBECONFIG ? `in KUBECONFIG (${env.KUBECONFIG})` : 'at ~/.kube/config';
  return new KubeconfigError(`no kubeconfig was found ${where}`, howToName);
}

/** Reads and merges: the first file that sets an entry, or the current context, wins. */
export function loadKubeconfig(files: readonly string[]): Kubeconfig {
  const parsed = files.map(readKubeconfig);
  const first = <T>(pick: (config: Kubeconfig) => ReadonlyMap<string, T>) =>
    new Map(parsed.toReversed().flatMap((config) => [...pick(config)]));
  return {
    source: files.join(delimiter),
    currentContext: parsed.find((config) => config.currentContext !== '')?.currentContext ?? '',
    clusters: first((config) => config.clusters),
    users: first((config) => config.users),
    contexts: first((config) => config.contexts),
  };
}

function readKubeconfig(file: string): Kubeconfig {
  const root = parseFile(file);
  const folder = dirname(resolve(file));
  return {
    source: file,
    currentContext: String(root['current-context'] ?? ''),
    clusters: mapValues(entries<ClusterEntry>(root, 'clusters', 'cluster', file), (entry) =>
      absolute(entry, folder, ['certificate-authority']),
    ),
    users: mapValues(entries<UserEntry>(root, 'users', 'user', file), (entry) => absoluteUser(entry, folder)),
    contexts: entries<ContextEntry>(root, 'contexts', 'context', file),
  };
}

function parseFile(file: string): Readonly<Record<string, unknown>> {
  const fix = `Repair the file, or name another with --kubeconfig FILE; kubectl config view --kubeconfig ${file} shows how it reads.`;
  let root: unknown;
  try {
    root = load(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA }) ?? {};
  } catch (error) {
    throw new KubeconfigError(`kubeconfig ${file} cannot be read: ${reasonOf(error)}`, fix, { cause: error });
  }
  if (typeof root !== 'object' || Array.isArray(root)) {
    throw new KubeconfigError(`kubeconfig ${file} holds no kubeconfig`, fix);
  }
  return root as Readonly<Record<string, unknown>>;
}

const reasonOf = (error: unknown) =>
  error instanceof YAMLException ? `${error.reason} in line ${error.mark.line + 1}` : errorText(error);

function entries<T>(
  root: Readonly<Record<string, unknown>>,
  list: string,
  key: string,
  file: string,
): ReadonlyMap<string, T> {
  const value = root[list] ?? [];
  const broken = () =>
    new KubeconfigError(`kubeconfig ${file}: ${list} is not a list of named entries`, howToName);
  if (!Array.isArray(value)) throw broken();
  const named = value.map((item: { name?: unknown; [key: string]: unknown } | null): [string, T] => {
    if (typeof item?.name !== 'string') throw broken();
    return [item.name, (item[key] ?? {}) as T];
  });
  return new Map(named.toReversed());
}

const mapValues = <T>(map: ReadonlyMap<string, T>, change: (value: T) => T) =>
  new Map([...map].map(([key, value]) => [key, change(value)] as const));

/** Paths in a kubeconfig are relative to the file that names them. */
function absolute<T extends object>(entry: T, folder: string, keys: readonly (keyof T)[]): T {
  const paths = keys.filter((key) => entry[key]).map((key) => [key, resolve(folder, String(entry[key]))]);
  return { ...entry, ...Object.fromEntries(paths) };
}

function absoluteUser(entry: UserEntry, folder: string): UserEntry {
  const user = absolute(entry, folder, ['client-certificate', 'client-key', 'tokenFile']);
  const command = user.exec?.command;
  // A command without a separator is looked for on PATH, any other is a path (client-go/plugin/pkg/client/auth/exec).
  if (!user.exec || !command || !/[\\/]/.test(command)) return user;
  return { ...user, exec: { ...user.exec, command: resolve(folder, command) } };
}
