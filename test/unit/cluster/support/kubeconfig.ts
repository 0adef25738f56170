import { stringify } from 'yaml';
import type { Api } from '../../../../src/cluster/api.ts';
import { connect } from '../../../../src/cluster/connect.ts';
import { authority } from './pki.ts';
import { writeScratch } from './scratch.ts';

const trusted = { 'certificate-authority': authority.certFile };

/** Writes a kubeconfig with one context, `test`. */
export function kubeconfig(cluster: object, user: object = {}, context: object = {}): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'here', cluster }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'test', context: { cluster: 'here', user: 'me', ...context } }],
  };
  return writeScratch(stringify(config), { name: 'kubeconfig' });
}

/** An Api for a server of the test, trusted by its authority. */
export async function apiFor(
  server: string,
  {
    cluster = {},
    user = {},
    env = {},
  }: { cluster?: object; user?: object; env?: Record<string, string> } = {},
): Promise<Api> {
  const file = kubeconfig({ server, ...trusted, ...cluster }, user);
  return (await connect({ kubeconfig: file, env: { PATH: process.env.PATH, ...env } })).api;
}
