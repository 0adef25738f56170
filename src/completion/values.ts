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

const resources: Readonly<Record<string, (namespace: string) => string>> = {
  pod: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
  pvc: (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
  pv: () => '/api/v1/persistentvolumes',
};

/** `pod/`, and behind the slash the names. */
async function target({ word, namespace, connect, signal }: Question): Promise<Values> {
  const slash = word.indexOf('/');
  const kind = word.slice(0, Math.max(slash, 0));
  const path = resources[kind];
  if (slash < 0 || !path)
    return words(
      Object.keys(resources).map((each) => `${each}/`),
      true,
    );
  const { api, namespace: own } = await connect();
  const names = await namesAt(api, path(encodeURIComponent(namespace ?? own)), signal);
  return words(names.map((name) => `${kind}/${name}`));
}

const formats: Answer = async ({ prints }) => {
  const { formatIds } = await import('../render/render.ts');
  return words(formatIds(prints));
};

/** `ds/`, and behind the slash the names. */
const daemonset: Answer = async ({ word, namespace, connect, signal }) => {
  if (!word.startsWith('ds/')) return words(['ds/'], true);
  const { api, namespace: own } = await connect();
  const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace ?? own)}/daemonsets`;
  return words((await namesAt(api, path, signal)).map((name) => `ds/${name}`));
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
  kubeconfig: files,
};

/** What may stand without a flag, by the name in the command's definition. */
export const positionalValues: Readonly<Record<string, Answer>> = {
  target,
  daemonset,
  driver: drivers,
  file: files,
};
