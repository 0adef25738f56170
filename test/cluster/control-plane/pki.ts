import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execOrThrow } from '../host/exec.ts';

export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Pki {
  readonly ca: Identity;
  readonly apiServer: Identity;
  readonly admin: Identity;
  readonly controllerManager: Identity;
  readonly scheduler: Identity;
  readonly serviceAccounts: { readonly publicKey: string; readonly privateKey: string };
  node(name: string): Identity;
}

/** Makes the certificates and keys of a cluster in `dir`; every field of the result is a path. */
export async function createPki(
  dir: string,
  apiServerIps: readonly string[],
  nodes: readonly string[],
): Promise<Pki> {
  mkdirSync(dir, { recursive: true });
  const path = (name: string): Identity => ({
    certificate: join(dir, `${name}.crt`),
    key: join(dir, `${name}.key`),
  });
  const ca = path('ca');
  await issue(ca, '/CN=test-cluster-ca', ['-addext', 'keyUsage=critical,keyCertSign,digitalSignature']);
  const names = [
    'DNS:kubernetes',
    'DNS:kubernetes.default.svc',
    ...apiServerIps.map((ip) => `IP:${ip}`),
  ].join(',');
  const signed = (name: string, subject: string, options: readonly string[] = []) =>
    issue(path(name), subject, ['-CA', ca.certificate, '-CAkey', ca.key, ...options]);
  await Promise.all([
    signed('apiserver', '/CN=kube-apiserver', ['-addext', `subjectAltName=${names}`]),
    signed('admin', '/O=system:masters/CN=admin'),
    signed('controller-manager', '/CN=system:kube-controller-manager'),
    signed('scheduler', '/CN=system:kube-scheduler'),
    ...nodes.map((name) => signed(name, `/O=system:nodes/CN=system:node:${name}`)),
  ]);
  return {
    ca,
    apiServer: path('apiserver'),
    admin: path('admin'),
    controllerManager: path('controller-manager'),
    scheduler: path('scheduler'),
    serviceAccounts: serviceAccountKeys(dir),
    node: path,
  };
}

async function issue(target: Identity, subject: string, options: readonly string[]): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', target.key];
  const request = ['openssl', 'req', '-x509', '-days', '30', '-subj', subject, '-out', target.certificate];
  await execOrThrow([...request, ...key, ...options]);
}

function serviceAccountKeys(dir: string) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const paths = { publicKey: join(dir, 'sa.pub'), privateKey: join(dir, 'sa.key') };
  writeFileSync(paths.publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(paths.privateKey, pair.privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  return paths;
}

/** A kubeconfig that holds its certificates itself, so that it may be copied anywhere. */
export function kubeconfig(server: string, pki: Pki, user: Identity): string {
  const base64 = (file: string) => readFileSync(file).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [
      { name: 'test', cluster: { server, 'certificate-authority-data': base64(pki.ca.certificate) } },
    ],
    users: [
      {
        name: 'test',
        user: { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) },
      },
    ],
  });
}
