import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { logFile } from './control-plane/start.ts';
import { execOrThrow } from './host/exec.ts';
import { startDaemon } from './host/processes.ts';
import { waitUntil } from './wait.ts';

const user = 'puller';
const password = 'let-me-pull';

/** A registry of images that only those get who log in. It ends with the cluster. */
export interface Registry {
  readonly address: string;
  /** Puts one of the cluster's images (by name) there and returns the reference to pull it by. */
  push(image: string): Promise<string>;
  /** A Secret of type kubernetes.io/dockerconfigjson with the login. */
  pullSecret(namespace: string, name: string): object;
}

export async function startRegistry(cluster: Cluster): Promise<Registry> {
  const host = new URL(cluster.s3.endpoint).hostname;
  const address = `${host}:5000`;
  const flags = [`--address=${address}`, `--user=${user}`, `--password=${password}`];
  startDaemon(cluster.dir, [join(cluster.helpers, 'registry'), ...flags], logFile(cluster.dir, 'registry'));
  await waitUntil('the registry', async () => (await fetch(`http://${address}/v2/`)).status === 401);
  for (const node of cluster.nodes) allowPlainHttp(node.hostPath('/etc/containerd/certs.d'), address);
  return {
    address,
    push: (image) => push(cluster, address, image),
    pullSecret: (namespace, name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/dockerconfigjson',
      metadata: { name, namespace },
      stringData: { '.dockerconfigjson': login(address) },
    }),
  };
}

const login = (address: string) =>
  JSON.stringify({ auths: { [address]: { auth: Buffer.from(`${user}:${password}`).toString('base64') } } });

/** The registry has no certificate: its network never leaves this machine. */
function allowPlainHttp(folder: string, address: string): void {
  mkdirSync(join(folder, address), { recursive: true });
  const host = `[host."http://${address}"]\ncapabilities = ["pull", "resolve"]\n`;
  writeFileSync(join(folder, address, 'hosts.toml'), host);
}

async function push(cluster: Cluster, address: string, name: string): Promise<string> {
  const image = cluster.images.find((candidate) => candidate.name === name);
  if (image === undefined) throw new Error(`the cluster has no image ${name}`);
  const config = join(cluster.dir, 'registry');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), login(address), { mode: 0o600 });
  const reference = `${address}/${basename(name)}`;
  const env = { ...process.env, DOCKER_CONFIG: config };
  const crane = [join(cluster.helpers, 'crane'), '--insecure'];
  await execOrThrow([...crane, 'push', image.archive, reference], { env });
  // An id of its own: kubelet keeps in mind by id which images need a Secret, and the nodes have the original.
  await execOrThrow([...crane, 'mutate', '--label', `origin=${address}`, '--tag', reference, reference], {
    env,
  });
  return reference;
}
