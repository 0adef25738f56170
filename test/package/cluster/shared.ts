import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, type Result } from '../../cluster/host/exec.ts';
import {
  type Cluster,
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
} from '../../cluster/index.ts';
import { shareCluster } from '../../support/share-cluster.ts';
import { programOf, type Release, releaseWith, targetOf } from '../release.ts';

/** A cluster of one node with a driver and an app, and the packaged plugin. */
export interface Scene {
  readonly cluster: Cluster;
  readonly driver: DeployedDriver;
  readonly app: DeployedApp;
  readonly release: Release;
  /** Folder of the packaged plugin, to stand on PATH. */
  readonly bin: string;
  /** The packaged plugin, run with the cluster's kubeconfig. */
  csi(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Result>;
}

export const sharedScene = shareCluster(1, async (cluster): Promise<Scene> => {
  const release = await releaseWith(['linux-amd64']);
  const program = programOf(release, targetOf(release, 'linux-amd64'));
  const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
  await driver.waitRegistered();
  const app = await deployApp(cluster, { name: 'app', driver: driver.spec.name, node: 'node-1' });
  await app.waitReady();
  const csi = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    exec([program, ...args], {
      env: { ...process.env, KUBECONFIG: cluster.kubeconfig, ...env },
      timeoutMs: 120_000,
    });
  return { cluster, driver, app, release, bin: join(release.folder, 'linux-amd64'), csi };
});

/** The API server's certificate authority, and its address. */
export async function apiServer({ cluster }: Scene): Promise<{ server: string; ca: Buffer }> {
  const config = await cluster.kubectlJson<{
    clusters: {
      cluster: { server: string; 'certificate-authority'?: string; 'certificate-authority-data'?: string };
    }[];
  }>(['config', 'view', '--raw']);
  const [entry] = config.clusters;
  if (!entry) throw new Error('the kubeconfig names no cluster');
  const { server, 'certificate-authority': file, 'certificate-authority-data': data = '' } = entry.cluster;
  return { server, ca: file ? readFileSync(file) : Buffer.from(data, 'base64') };
}
