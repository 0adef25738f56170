import type { Command } from '../cli/define-command.ts';
import type { Api, Query } from '../cluster/api.ts';
import type { Connection } from '../cluster/connect.ts';

/** Words to choose from, or that the shell shall offer files. */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly goesOn?: boolean }
  | { readonly kind: 'files' };

export interface Question {
  readonly word: string;
  /** The kind of report that the command prints, where that matters. */
  readonly prints: Command['prints'];
  readonly namespace: string | undefined;
  connect(): Promise<Connection>;
  readonly signal: AbortSignal;
}

type Answer = (question: Question) => Promise<Values>;

const words = (all: readonly string[], goesOn = false): Values => ({ kind: 'words', words: all, goesOn });
const fixed = (text: string): Answer => {
  const all = words(text.split(' '));
  return async () => all;
};
const files: Answer = async () => ({ kind: 'files' });

/** One page: who has more than that narrows it by typing on. */
const page: Query = { limit: 500, resourceVersion: '0' };

interface Named {
  readonly metadata?: { readonly name?: string };
}

async function namesAt(api: Api, path: string, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await api.get<{ readonly items: readonly Named[] }>(path, page, { signal });
  return items.flatMap(({ metadata }) => metadata?.name ?? []);
}

const listed =
  (path: string): Answer =>
  async ({ connect, signal }) =>
    words(await namesAt((await connect()).api, path, signal));

const nodes = listed('/api/v1/nodes');
const drivers = listed('/apis/storage.k8s.io/v1/csidrivers');
const namespaces = listed('/api/v1/namespaces');

type Paths = Readonly<Record<string, (namespace: string) => string>>;

const within =
  (group: string, resource: string) =>
  (namespace: string): string =>
    `${group}/namespaces/${namespace}/${resource}`;

const volumeUsers: Paths = {
  pod: within('/api/v1', 'pods'),
  pvc: within('/api/v1', 'persistentvolumeclaims'),
  pv: () => '/api/v1/persistentvolumes',
};

const workloads: Paths = {
  deploy: within('/apis/apps/v1', 'deployments'),
  sts: within('/apis/apps/v1', 'statefulsets'),
  ds: within('/apis/apps/v1', 'daemonsets'),
  rs: within('/apis/apps/v1', 'replicasets'),
  cronjob: within('/apis/batch/v1', 'cronjobs'),
  job: within('/apis/batch/v1', 'jobs'),
  pod: within('/api/v1', 'pods'),
};

/** `pod/`, and behind the slash the names. */
const namedIn =
  (paths: Paths): Answer =>
  async ({ word, namespace, connect, signal }) => {
    const slash = word.indexOf('/');
    const kind = word.slice(0, Math.max(slash, 0));
    const path = paths[kind];
    if (slash < 0 || !path)
      return words(
        Object.keys(paths).map((each) => `${each}/`),
        true,
      );
    const { api, namespace: own } = await connect();
    const names = await namesAt(api, path(encodeURIComponent(namespace ?? own)), signal);
    return words(names.map((name) => `${kind}/${name}`));
  };

const formats: Answer = async ({ prints }) => {
  const { formatIds } = await import('../render/render.ts');
  return words(formatIds(prints));
};

/** What may stand behind a flag. */
export const flagValues: Readonly<Record<string, Answer>> = {
  node: nodes,
  compare: nodes,
  driver: drivers,
  namespace: namespaces,
  'debug-namespace': namespaces,
  output: formats,
  'max-risk': fixed('safe disruptive destructive'),
  strategy: fixed('auto swap restart'),
  'dry-run': fixed('client none'),
  for: fixed('read look heal workloads'),
  from: files,
  filename: files,
  kubeconfig: files,
};

/** What may stand without a flag, by the name in the command's definition. */
export const positionalValues: Readonly<Record<string, Answer>> = {
  target: namedIn(volumeUsers),
  workload: namedIn(workloads),
  daemonset: namedIn({ ds: within('/apis/apps/v1', 'daemonsets') }),
  driver: drivers,
  file: files,
};
