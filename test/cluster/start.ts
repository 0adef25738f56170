import { randomUUID } from 'node:crypto';
import { mkdirSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ensureDebianPackages } from '../../scripts/setup/debian.mjs';
import { cacheFolder, defaultKubeVersion, ensureGoBinaries } from '../../scripts/setup/go-binaries.mjs';
import { ensureRuntime } from '../../scripts/setup/runtime.mjs';
import { type Cluster, type ClusterState, findClaim, loadState, openCluster, saveState } from './cluster.ts';
import { createPki } from './control-plane/pki.ts';
import { serviceAddress, startControlPlane, writeKubeconfig } from './control-plane/start.ts';
import { type Claim, claimSlot } from './host/claim.ts';
import { createBridge, networkOf } from './host/network.ts';
import { cgroupOf, sweep, teardown } from './host/teardown.ts';
import { type BuiltImage, buildImages } from './images/build.ts';
import { rootOf, startNode } from './node/start.ts';
import { startS3 } from './s3.ts';
import { waitUntil } from './wait.ts';

export interface ClusterOptions {
  /** How many nodes; 2 when left out. */
  readonly nodes?: number;
  readonly kubeVersion?: string;
  /** kubelet's root folder on every node; /var/lib/kubelet when left out. */
  readonly kubeletRoot?: string;
  /** `current`: containerd and runc built from their modules; user namespaces of pods need them. */
  readonly runtime?: 'debian' | 'current';
  /** Index of a node whose first process is systemd; the others have runit's. */
  readonly systemdNode?: number;
  /** The cluster's folder; a new one in the cache folder when left out. */
  readonly dir?: string;
}

export type Log = (line: string) => void;

export const clustersFolder = () => join(cacheFolder(), 'clusters');
/** The folder of the cluster that the command line runs. */
export const defaultDir = () => join(clustersFolder(), 'default');

const packages = [
  'busybox-static',
  'containerd',
  'containernetworking-plugins',
  'etcd-server',
  'fuse3',
  'iproute2',
  'iptables',
  'openssl',
  'runc',
  'runit',
];

/**
 * Starts a Kubernetes cluster on this machine and returns when all nodes are ready. What it lacks is
 * installed and built first; what a killed run left is removed.
 *
 * The cluster ends with `stop`, and at the latest when the next run finds that this process is gone.
 *
 * @throws when this machine cannot run it, or a part does not come up in time; nothing is left then
 */
export async function startCluster(
  options: ClusterOptions,
  log: Log,
  signal?: AbortSignal,
): Promise<Cluster> {
  const { kubeVersion = defaultKubeVersion } = options;
  checkOptions(options);
  await ensureDebianPackages(packages, log);
  if (process.getuid?.() !== 0)
    throw new Error('the test cluster needs root: it makes namespaces, mounts and links');
  const binaries = await ensureGoBinaries({ kubeVersion, log, ...(signal && { signal }) });
  const runtime =
    options.runtime === 'current' ? await ensureRuntime({ log, ...(signal && { signal }) }) : undefined;
  await sweep(clustersFolder(), log);
  const dir = resolve(options.dir ?? join(clustersFolder(), `run-${randomUUID().slice(0, 8)}`));
  const claim = claimSlot(dir);
  try {
    return await bringUp({ ...options, kubeVersion }, claim, { ...binaries, runtime }, log, signal);
  } catch (error) {
    await teardown(claim);
    throw error;
  }
}

function checkOptions({ nodes = 2, kubeletRoot = '/var/lib/kubelet' }: ClusterOptions): void {
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 20) {
    throw new Error('a cluster has 1 to 20 nodes; for example: --nodes 2');
  }
  if (!/^\/(var|opt|srv|data)\/[\w./-]+$/.test(kubeletRoot)) {
    throw new Error(
      `'${kubeletRoot}' cannot be kubelet's root here: take a folder below /var, /opt, /srv or /data, like /var/lib/kubelet`,
    );
  }
}

type Binaries = Awaited<ReturnType<typeof ensureGoBinaries>> & { readonly runtime: string | undefined };
type Complete = ClusterOptions & { readonly kubeVersion: string };

async function bringUp(
  options: Complete,
  claim: Claim,
  binaries: Binaries,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<Cluster> {
  const { dir } = claim;
  mkdirSync(dir, { recursive: true });
  checkFileSystem(dir);
  const network = networkOf(claim.slot);
  const address = network.gateway;
  const names = Array.from({ length: options.nodes ?? 2 }, (_, index) => `node-${index + 1}`);
  const images = buildImages(join(cacheFolder(), 'images'), binaries.driver);
  log(
    `starting Kubernetes ${options.kubeVersion} with ${names.length === 1 ? '1 node' : `${names.length} nodes`}`,
  );
  await createBridge(network);
  const pki = await createPki(join(dir, 'pki'), ['127.0.0.1', serviceAddress, address], names);
  const [api, s3] = await Promise.all([
    startControlPlane({ dir, kube: binaries.kube, address, pki, signal }),
    startS3(dir, binaries.helpers, address),
  ]);
  const nodes = await Promise.all(
    names.map((name, index) =>
      startNode({
        dir,
        kube: binaries.kube,
        network,
        root: rootOf(dir, name),
        name,
        index,
        address: network.nodeAddress(index),
        kubeletRoot: options.kubeletRoot ?? '/var/lib/kubelet',
        kubeconfig: writeKubeconfig(dir, name, api.url, pki, pki.node(name)),
        runtime: binaries.runtime,
        supervisor: index === options.systemdNode ? 'systemd' : 'runit',
        clientCa: pki.ca.certificate,
        cgroup: `${cgroupOf(claim.slot)}/${name}`,
      }),
    ),
  );
  const state: ClusterState = {
    dir,
    kubeVersion: options.kubeVersion,
    kubeconfig: api.kubeconfig,
    bin: binaries.kube,
    helpers: binaries.helpers,
    apiServer: api.apiServer,
    nodes,
    s3,
    images: await images,
  };
  saveState(state);
  const cluster = openCluster(state, claim);
  await importImages(cluster, state.images, signal);
  await waitForNodes(cluster, signal);
  return cluster;
}

/** Attaches to a cluster that was left running. */
export async function attachCluster(dir: string = defaultDir()): Promise<Cluster> {
  const claim = findClaim(resolve(dir));
  if (claim === undefined) throw new Error('no cluster is running; start one with: npm run cluster -- up');
  return openCluster(loadState(claim.dir), claim);
}

/** containerd cannot stack its overlays on an overlay, and kubelet's file systems are to be real ones. */
function checkFileSystem(dir: string): void {
  const unfit = new Map([
    [0x794c7630, 'overlay'],
    [0x01021994, 'tmpfs'],
  ]).get(statfsSync(dir).type);
  if (unfit === undefined) return;
  throw new Error(`${dirname(dir)} is on ${unfit}; set XDG_CACHE_HOME to a folder on a disk (ext4, xfs)`);
}

async function importImages(
  cluster: Cluster,
  images: readonly BuiltImage[],
  signal?: AbortSignal,
): Promise<void> {
  await Promise.all(
    cluster.nodes.map(async (node) => {
      const ready = async () => (await node.run(['ctr', 'version'])).code === 0;
      await waitUntil(`containerd on ${node.name}`, ready, { signal });
      for (const { archive } of images) await node.importImage(archive);
    }),
  );
}

/** A node without taints is not only ready, the scheduler knows it too. */
async function waitForNodes(cluster: Cluster, signal?: AbortSignal): Promise<void> {
  const columns = '-o=jsonpath={range .items[*]}{.metadata.name}{.spec.taints[*].key} {end}';
  const names = cluster.nodes.map((node) => node.name).join(' ');
  const seen = async () => (await cluster.kubectl(['get', 'nodes', columns])).stdout.trim();
  await waitUntil('all nodes to be ready', async () => (await seen()) === names, {
    timeoutMs: 120_000,
    intervalMs: 500,
    signal,
    describe: async () => `the nodes with their taints are: ${await seen()}`,
  });
}
