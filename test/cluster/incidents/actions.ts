import { readFileSync } from 'node:fs';
import { type ProcessId, signal } from '../host/processes.ts';
import { driverContainer, excludedLabel } from '../manifests/driver.ts';
import type { ClusterNode } from '../node/node.ts';
import { waitUntil } from '../wait.ts';
import type { Scene } from './define.ts';

/** Runs a command on a node and returns its standard output. Throws when it fails. */
export async function onNode(node: ClusterNode, ...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await node.run(command);
  if (code !== 0) throw new Error(`'${command.join(' ')}' on ${node.name} ended with ${code}: ${stderr}`);
  return stdout;
}

export const registryOf = (node: ClusterNode) => `${node.kubeletRoot}/plugins_registry`;

/** Waits until CSINode lists the driver no more, which is when kubelet has let it go. */
export function waitUnregistered({ driver, node }: Scene): Promise<void> {
  const gone = async () => !(await driver.isRegistered(node));
  return waitUntil(`${driver.spec.name} to be unregistered on ${node.name}`, gone, { timeoutMs: 90_000 });
}

/**
 * Takes the registration socket away before kubelet's eyes, and puts it back after `meanwhile`, as a registrar
 * does that starts anew; the registrar itself notices nothing, since its socket keeps a second link.
 */
export async function replaceSocket(scene: Scene, meanwhile: () => Promise<void>): Promise<void> {
  const { node, driver } = scene;
  const spare = `${driver.pluginFolder}/.reg.sock`;
  await onNode(node, 'ln', '-f', driver.registrySocket, spare);
  await onNode(node, 'rm', driver.registrySocket);
  await waitUnregistered(scene);
  await meanwhile();
  await onNode(node, 'mv', spare, driver.registrySocket);
}

interface PodStatus {
  readonly metadata: { readonly uid: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly containerID?: string;
      readonly ready: boolean;
      readonly restartCount: number;
      readonly state: { readonly waiting?: { readonly reason?: string } };
    }[];
  };
}

/** The node plugin's pod. Throws when there is none. */
export async function pluginPod({ cluster, node, driver }: Scene): Promise<PodStatus> {
  const name = await driver.podOn(node);
  if (name === undefined) throw new Error(`no pod of ${driver.spec.name} on ${node.name}`);
  return cluster.kubectlJson<PodStatus>(['get', 'pod', '-n', driver.spec.namespace, name]);
}

export async function containerStatus(scene: Scene, container: string) {
  const { status } = await pluginPod(scene);
  return status.containerStatuses?.find(({ name }) => name === container);
}

/** Sends a signal to all processes of a container of the node plugin. */
export async function signalContainer(scene: Scene, container: string, name: NodeJS.Signals): Promise<void> {
  for (const process of await processesOf(scene, container)) signal(process, name);
}

async function processesOf(scene: Scene, container: string): Promise<ProcessId[]> {
  const id = (await containerStatus(scene, container))?.containerID?.replace('containerd://', '') ?? '';
  const processes = scene.node.containerProcesses(id);
  if (processes.length === 0) throw new Error(`container ${container} has no process on ${scene.node.name}`);
  return processes;
}

/** Ends a container of the node plugin and waits for the one that kubelet starts instead. */
export async function restartContainer(scene: Scene, container: string): Promise<void> {
  const old = (await containerStatus(scene, container))?.containerID;
  await signalContainer(scene, container, 'SIGTERM');
  await waitUntil(`a new container ${container}`, async () => {
    const status = await containerStatus(scene, container);
    return status?.ready === true && status.containerID !== old;
  });
}

/** Sends a signal to every FUSE daemon of the node plugin. */
export async function signalFuseDaemons(scene: Scene, name: NodeJS.Signals): Promise<void> {
  const daemons = (await processesOf(scene, driverContainer)).filter(({ pid }) => nameOf(pid) === 'csi-fuse');
  if (daemons.length === 0)
    throw new Error(`${scene.driver.spec.name} has no FUSE daemon on ${scene.node.name}`);
  for (const daemon of daemons) signal(daemon, name);
}

const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/** Deletes the node plugin's pod and waits until it is gone; the DaemonSet may have made another by then. */
export async function deletePlugin(scene: Scene): Promise<void> {
  const { metadata } = await pluginPod(scene);
  const { namespace } = scene.driver.spec;
  await kubectl(
    scene,
    'delete',
    'pod',
    '-n',
    namespace,
    metadata.name,
    '--ignore-not-found',
    '--timeout=60s',
  );
}

export async function waitPluginReady(scene: Scene): Promise<void> {
  const ready = async () => {
    const statuses = (await pluginPod(scene)).status.containerStatuses ?? [];
    return statuses.length > 0 && statuses.every((status) => status.ready);
  };
  await waitUntil(`the node plugin on ${scene.node.name}`, ready, { timeoutMs: 90_000 });
}

/** Takes the node out of the driver's DaemonSet, or back in. */
export async function setExcluded(scene: Scene, excluded: boolean): Promise<void> {
  const key = excludedLabel(scene.driver.spec.name);
  const label = excluded ? `${key}=true` : `${key}-`;
  await kubectl(scene, 'label', '--overwrite', 'node', scene.node.name, label);
}

export async function kubectl({ cluster }: Scene, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

/** Makes kubelet see the registration socket again, where it does not hold the driver; what is well stays untouched. */
export async function ensureRegistered(scene: Scene): Promise<void> {
  const { driver, node } = scene;
  await waitPluginReady(scene);
  const socket = driver.registrySocket;
  if (!(await driver.isRegistered(node)) && (await exists(node, socket))) {
    await onNode(node, 'mv', socket, `${registryOf(node)}/.again`);
    await onNode(node, 'mv', `${registryOf(node)}/.again`, socket);
  }
  await driver.waitRegistered([node]);
}

export async function exists(node: ClusterNode, path: string): Promise<boolean> {
  return (await node.run(['test', '-e', path])).code === 0;
}
