import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { isAlive, type ProcessId, startDaemon } from '../host/processes.ts';
import { type Look, waitFor } from '../wait.ts';
import { type Identity, kubeconfig, type Pki } from './pki.ts';

export const serviceRange = '10.96.0.0/16';
/** The first address of the service range: the API server's own. */
export const serviceAddress = '10.96.0.1';

export interface ControlPlane {
  readonly url: string;
  readonly kubeconfig: string;
  readonly apiServer: ProcessId;
}

export interface ControlPlaneOptions {
  /** The cluster's folder; logs go to `log/` in it. */
  readonly dir: string;
  /** Folder of the Kubernetes binaries. */
  readonly kube: string;
  /** The address of this machine to listen on; every cluster has its own, so ports never collide. */
  readonly address: string;
  readonly pki: Pki;
  readonly signal?: AbortSignal | undefined;
}

/** Starts etcd, kube-apiserver, kube-controller-manager and kube-scheduler; returns when the API server is ready. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { dir, kube, address, pki, signal } = options;
  const url = `https://${address}:6443`;
  const admin = writeKubeconfig(dir, 'admin', url, pki, pki.admin);
  const daemon = (name: string, command: readonly [string, ...string[]]) =>
    startDaemon(dir, command, logFile(dir, name));
  daemon('etcd', etcd(dir, address));
  const apiServer = daemon('kube-apiserver', [join(kube, 'kube-apiserver'), ...apiServerFlags(address, pki)]);
  await waitForApi(url, pki, apiServer, logFile(dir, 'kube-apiserver'), signal);
  const withConfig = (name: string, identity: Identity) =>
    `--kubeconfig=${writeKubeconfig(dir, name, url, pki, identity)}`;
  daemon('kube-controller-manager', [
    join(kube, 'kube-controller-manager'),
    withConfig('controller-manager', pki.controllerManager),
    ...controllerManagerFlags(pki),
  ]);
  daemon('kube-scheduler', [
    join(kube, 'kube-scheduler'),
    withConfig('scheduler', pki.scheduler),
    '--leader-elect=false',
    '--secure-port=0',
  ]);
  return { url, kubeconfig: admin, apiServer };
}

export function logFile(dir: string, name: string): string {
  mkdirSync(join(dir, 'log'), { recursive: true });
  return join(dir, 'log', `${name}.log`);
}

/** Durability is given up for speed: the data live as long as the cluster. */
function etcd(dir: string, address: string): readonly [string, ...string[]] {
  const client = `http://${address}:2379`;
  const peer = `http://${address}:2380`;
  return [
    'etcd',
    '--unsafe-no-fsync',
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

function apiServerFlags(address: string, pki: Pki): string[] {
  return [
    `--etcd-servers=http://${address}:2379`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--service-cluster-ip-range=${serviceRange}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    '--endpoint-reconciler-type=none',
    '--kubelet-preferred-address-types=InternalIP',
    `--client-ca-file=${pki.ca.certificate}`,
    `--tls-cert-file=${pki.apiServer.certificate}`,
    `--tls-private-key-file=${pki.apiServer.key}`,
    `--kubelet-client-certificate=${pki.admin.certificate}`,
    `--kubelet-client-key=${pki.admin.key}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pki.serviceAccounts.publicKey}`,
    `--service-account-signing-key-file=${pki.serviceAccounts.privateKey}`,
  ];
}

function controllerManagerFlags(pki: Pki): string[] {
  return [
    '--leader-elect=false',
    '--secure-port=0',
    '--use-service-account-credentials=true',
    // A claim that is seen before its volume waits for the next round, 15 s by default.
    '--pvclaimbinder-sync-period=1s',
    `--root-ca-file=${pki.ca.certificate}`,
    `--service-account-private-key-file=${pki.serviceAccounts.privateKey}`,
  ];
}

export function writeKubeconfig(dir: string, name: string, url: string, pki: Pki, user: Identity): string {
  const file = join(dir, `${name}.kubeconfig`);
  writeFileSync(file, kubeconfig(url, pki, user), { mode: 0o600 });
  return file;
}

function waitForApi(
  url: string,
  pki: Pki,
  server: ProcessId,
  log: string,
  signal?: AbortSignal,
): Promise<void> {
  const look = async (): Promise<Look<void>> => {
    if (!isAlive(server))
      return { failed: `kube-apiserver ended:\n${readFileSync(log, 'utf8').slice(-1500)}` };
    const status = await readiness(url, pki);
    return status === 200 ? { done: undefined } : { seen: `/readyz answers ${status}` };
  };
  return waitFor('the API server', look, { timeoutMs: 90_000, signal });
}

function readiness(url: string, pki: Pki): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const get = request(`${url}/readyz`, {
      ca: readFileSync(pki.ca.certificate),
      cert: readFileSync(pki.admin.certificate),
      key: readFileSync(pki.admin.key),
      timeout: 2_000,
      agent: false,
    });
    get.on('response', (response) => resolve(response.resume().statusCode));
    get.on('timeout', () => get.destroy(new Error('no answer in 2 s')));
    get.on('error', reject).end();
  });
}
