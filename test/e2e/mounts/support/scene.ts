import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type ClusterNode, findIncident, waitUntil } from '../../../cluster/index.ts';
import { type Call, readCalls } from '../../publish/record.ts';
import { type Attempt, attemptsOf } from './attempts.ts';
import { csiMounts } from './disk.ts';
import { type AppContainer, type AppPod, claimsOf, fileOf, type Place, podObjects } from './pods.ts';
import type { DriverClass, Shared } from './shared.ts';

/** Milliseconds: a loaded machine takes its time to start a dozen pods. */
const patience = 180_000;

interface Status {
  readonly name: string;
  readonly containerID?: string;
  readonly restartCount: number;
  readonly state: { readonly running?: object; readonly waiting?: { readonly reason?: string } };
}

export interface PodStatus {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: {
    readonly phase: string;
    readonly initContainerStatuses?: readonly Status[];
    readonly containerStatuses?: readonly Status[];
    readonly ephemeralContainerStatuses?: readonly Status[];
  };
}

export const statusesOf = ({ status }: PodStatus): readonly Status[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
];

export interface Running {
  /** In the container runtime. */
  readonly id: string;
  readonly restarts: number;
}

/** A container of a scene, and one path that it tries. */
export interface Probe {
  readonly pod: AppPod;
  readonly container: AppContainer;
  readonly place: Place;
}

/** Pods of one test, in a namespace of their own. */
export class Scene {
  readonly shared: Shared;
  readonly namespace: string;
  readonly pods: AppPod[];

  private constructor(shared: Shared, namespace: string, pods: readonly AppPod[]) {
    this.shared = shared;
    this.namespace = namespace;
    this.pods = [...pods];
  }

  /** Creates the pods and waits until every app has written or read at every place. */
  static async open(shared: Shared, namespace: string, pods: readonly AppPod[]): Promise<Scene> {
    const scene = new Scene(shared, namespace, pods);
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await shared.cluster.apply([space]);
    try {
      if (pods.length > 0) await shared.cluster.apply(podObjects(namespace, pods));
      await scene.waitWell();
      return scene;
    } catch (error) {
      await scene.close();
      throw error;
    }
  }

  async add(pods: readonly AppPod[]): Promise<void> {
    this.pods.push(...pods);
    await this.shared.cluster.apply(podObjects(this.namespace, pods));
  }

  probes(): readonly Probe[] {
    return this.pods.flatMap((pod) =>
      pod.containers.flatMap((container) => container.places.map((place) => ({ pod, container, place }))),
    );
  }

  nodeOf({ node = 'node-1' }: AppPod): ClusterNode {
    return this.shared.cluster.node(node);
  }

  claimsOf(pod: AppPod): readonly object[] {
    return claimsOf(this.namespace, [pod]);
  }

  /** The attempts of container `app` of a pod of the first node, by the pod's whole name. */
  attemptsIn(pod: string): readonly Attempt[] {
    return attemptsOf(this.shared.node, this.namespace, pod, 'app');
  }

  attempts({ pod, container, place }: Probe): readonly Attempt[] {
    const all = attemptsOf(this.nodeOf(pod), this.namespace, pod.name, container.name);
    return all.filter(({ path }) => path === place.path);
  }

  /** Waits until each of these has an attempt that went well and began after a moment. */
  async waitWell(since = 0, probes = this.probes()): Promise<void> {
    const missing = () =>
      probes.filter((probe) => !this.attempts(probe).some(({ ok, at }) => ok && at >= since));
    await waitUntil('every app to write and read', async () => missing().length === 0, {
      timeoutMs: patience,
      intervalMs: 500,
      describe: async () =>
        missing()
          .map((probe) => this.describe(probe))
          .join('; '),
    });
  }

  /** Waits until each of these has failed after a moment, as apps on a dead mount do. */
  async waitFailing(since: number, probes = this.probes()): Promise<void> {
    const well = () =>
      probes.filter((probe) => !this.attempts(probe).some(({ ok, at }) => !ok && at >= since));
    await waitUntil('every app to fail', async () => well().length === 0, {
      timeoutMs: 60_000,
      describe: async () =>
        well()
          .map((probe) => this.describe(probe))
          .join('; '),
    });
  }

  describe(probe: Probe): string {
    const last = this.attempts(probe).at(-1);
    return `${probe.pod.name}/${probe.container.name} ${probe.place.path}: ${last ? JSON.stringify(last) : 'no attempt'}`;
  }

  async statuses(): Promise<ReadonlyMap<string, PodStatus>> {
    const query = ['get', 'pods', '-n', this.namespace];
    const { items } = await this.shared.cluster.kubectlJson<{ items: PodStatus[] }>(query);
    return new Map(items.map((pod) => [pod.metadata.name, pod]));
  }

  async uidOf(pod: string): Promise<string> {
    const status = (await this.statuses()).get(pod);
    if (!status) throw new Error(`there is no pod ${pod}`);
    return status.metadata.uid;
  }

  /** Every container that runs, by `POD/CONTAINER`. */
  async running(): Promise<ReadonlyMap<string, Running>> {
    const pods = [...(await this.statuses()).values()];
    return new Map(
      pods.flatMap((pod) =>
        statusesOf(pod)
          .filter(({ state }) => state.running)
          .map(({ name, containerID = '', restartCount }): [string, Running] => [
            `${pod.metadata.name}/${name}`,
            { id: containerID.replace('containerd://', ''), restarts: restartCount },
          ]),
      ),
    );
  }

  /** Ends the node plugins, and their FUSE daemons with them; returns when new ones are registered. */
  async killPlugins(classes: readonly DriverClass[], nodes: readonly ClusterNode[] = [this.shared.node]) {
    const { cluster, drivers } = this.shared;
    const incident = findIncident('dead-mounts');
    const scenes = nodes.flatMap((node) => classes.map((name) => ({ node, driver: drivers[name] })));
    const here = [];
    for (const { node, driver } of scenes) if (await driver.podOn(node)) here.push({ node, driver });
    await Promise.all(here.map(({ node, driver }) => incident.apply(cluster, node, driver)));
  }

  /** Every line that an app was told is written is in the bucket, and the file is where it belongs. */
  async assertStored(probes = this.probes()): Promise<void> {
    const { s3 } = this.shared.cluster;
    for (const probe of probes.filter(({ container }) => container.mode !== 'read')) {
      const { stored } = probe.place;
      if (stored === undefined) continue;
      const told = this.attempts(probe).filter(({ ok }) => ok);
      const key = await this.keyOf(stored, `${fileOf(probe.pod, probe.container)}.log`);
      const lines = new Set((await s3.read(key))?.split('\n'));
      const lost = told.filter(({ n }) => !lines.has(String(n)));
      assert.deepEqual(lost, [], `lines of ${this.describe(probe)} are not in ${key}`);
    }
  }

  /** The handle of an inline volume is kubelet's own, so its file is found by its name. */
  private async keyOf(stored: string, file: string): Promise<string> {
    if (stored !== '') return `${this.namespace}-${stored}/${file}`;
    const keys = await this.shared.cluster.s3.list();
    return keys.find((key) => key.endsWith(`/${file}`)) ?? file;
  }

  /** Deletes the pods; kubelet then unpublishes and unstages each volume by itself, and no mount of them is left. */
  async close(): Promise<void> {
    const { cluster } = this.shared;
    const pods = await this.statuses();
    const uids = [...pods.values()].map(({ metadata }) => metadata.uid);
    const handles = [...this.handles()];
    await cluster.kubectl(['delete', 'pods', '--all', '-n', this.namespace, '--timeout=150s']);
    for (const node of cluster.nodes) await this.waitUnmounted(node, uids, handles);
    this.assertUnpublished(uids);
    await cluster.kubectl(['delete', 'pvc', '--all', '-n', this.namespace, '--timeout=60s']);
    await cluster.kubectl(['delete', 'pv', '-l', `test=${this.namespace}`, '--timeout=60s']);
    await cluster.kubectl(['delete', 'namespace', this.namespace, '--wait=false']);
  }

  handles(): ReadonlySet<string> {
    const volumes = this.pods.flatMap(({ volumes }) => Object.values(volumes));
    return new Set(
      volumes.flatMap((volume) => ('handle' in volume ? `${this.namespace}-${volume.handle}` : [])),
    );
  }

  private waitUnmounted(
    node: ClusterNode,
    uids: readonly string[],
    handles: readonly string[],
  ): Promise<void> {
    const staged = handles.map(stagingHash);
    const left = async () =>
      (await csiMounts(node)).filter((line) => [...uids, ...staged].some((each) => line.includes(each)));
    return waitUntil(
      `kubelet on ${node.name} to unmount every volume`,
      async () => (await left()).length === 0,
      {
        timeoutMs: patience,
        intervalMs: 500,
        describe: async () => (await left()).join('\n'),
      },
    );
  }

  /** By the drivers' own record: each target is unpublished, and each volume that was staged is unstaged last. */
  private assertUnpublished(uids: readonly string[]): void {
    const { cluster, drivers } = this.shared;
    for (const node of cluster.nodes)
      for (const driver of Object.values(drivers)) {
        const calls = readCalls(node, driver).filter(({ code }) => code === 'OK');
        for (const [what, method] of lastCalls(calls, uids, this.handles()))
          assert.match(method, /Unpublish|Unstage/, `${driver.spec.name} on ${node.name}: ${what}`);
      }
  }
}

/** The last call that a driver answered about each target of these pods and each staged volume. */
function lastCalls(calls: readonly Call[], uids: readonly string[], handles: ReadonlySet<string>) {
  const last = new Map<string, string>();
  for (const { method, request } of calls) {
    const { targetPath = '', volumeId = '' } = request;
    if (uids.some((uid) => targetPath.includes(uid))) last.set(targetPath, method);
    if (method.endsWith('stageVolume') || method === 'NodeStageVolume')
      if (handles.has(volumeId)) last.set(`staging of ${volumeId}`, method);
  }
  return last;
}

/** The folder of a staged volume (pkg/volume/csi/csi_attacher.go, makeDeviceMountPath). */
const stagingHash = (handle: string) => createHash('sha256').update(handle).digest('hex');
