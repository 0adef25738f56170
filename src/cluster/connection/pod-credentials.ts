import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import type { ClusterEntry, UserEntry } from './kubeconfig.ts';

export interface PodCredentials {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace: string;
}

/** The credentials that a pod's service account brings (client-go rest.InClusterConfig); undefined outside a pod. */
export function podCredentials(
  env: Readonly<Record<string, string | undefined>>,
  folder = '/var/run/secrets/kubernetes.io/serviceaccount',
): PodCredentials | undefined {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port || !existsSync(`${folder}/token`)) return undefined;
  const namespace = existsSync(`${folder}/namespace`)
    ? readFileSync(`${folder}/namespace`, 'utf8').trim()
    : 'default';
  return {
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      'certificate-authority': `${folder}/ca.crt`,
    },
    user: { tokenFile: `${folder}/token` },
    namespace,
  };
}
