import { boolean, list, number, object, observed, optional, pair, record, string } from './shape.ts';

const strings = list(string);
const key = object({ namespace: string, name: string });

const plugin = {
  key,
  nameHints: strings,
  registrationPath: optional(string),
  registryPath: string,
  hostPaths: strings,
  registrar: optional(object({ container: string, image: string, args: strings })),
  otherContainers: strings,
};

const requirements = list(object({ key: string, operator: string, values: strings }));

const daemonSet = object({
  ...plugin,
  nodeSelector: record,
  affinity: list(object({ labels: requirements, fields: requirements })),
  tolerations: list(object({ key: string, operator: string, value: string, effect: string })),
});

const pluginPod = object({
  ...plugin,
  node: optional(string),
  phase: string,
  owner: optional(string),
  imagePullSecrets: strings,
  containers: list(
    object({ name: string, image: string, containerId: string, ready: boolean, state: string }),
  ),
});

const volumeMount = object({ path: string, subPath: boolean });

const volumeUse = object({
  pod: key,
  podUid: string,
  node: optional(string),
  volume: string,
  driver: string,
  claim: optional(key),
  containers: list(
    object({ name: string, role: string, containerId: string, mounts: list(volumeMount), paths: strings }),
  ),
});

const node = object({
  name: string,
  kubeletVersion: string,
  labels: record,
  taints: list(object({ key: string, value: string, effect: string })),
  csiNode: observed(list(object({ driver: string }))),
  kubeletPlugins: observed(object({ actual: strings, desired: strings })),
  kubeletVolumes: observed(record),
  kubeletConfig: observed(record),
});

const folder = object({
  path: string,
  inode: string,
  device: string,
  mount: object({ mountPoint: string, fsType: string, source: string, propagation: string }),
});

const socket = object({
  connect: object({ state: string, listener: optional(object({ pid: number, command: string })) }),
  asked: boolean,
  registration: observed(object({ type: string, name: string, endpoint: string, versions: strings })),
  driver: observed(object({ name: string, ready: boolean })),
});

const mounted = object({ path: string, state: string });

const mountEvidence = object({
  namespaces: list(object({ inode: string, pid: number, host: boolean })),
  mounts: list(
    object({ namespace: string, device: string, root: string, mountPoint: string, state: string }),
  ),
  published: list(object({ path: string, podUid: string, specName: string, state: string })),
  staged: list(object({ path: string, driver: string, state: string })),
  subPaths: list(mounted),
  holders: list(object({ pid: number, device: string })),
});

const logLine = object({ text: string, at: optional(string) });

const evidence = object({
  takenAt: string,
  host: observed(record),
  kubelet: observed(
    object({
      pid: number,
      startTicks: string,
      command: string,
      argv: strings,
      parent: object({ pid: number, command: string }),
      cgroups: strings,
    }),
  ),
  root: observed(folder),
  registry: observed(folder),
  watches: observed(list(object({ inode: string, device: string }))),
  limits: observed(record),
  entries: observed(
    list(object({ name: string, kind: string, changedAt: string, socket: optional(socket) })),
  ),
  otherRegistries: list(object({ root: string, sockets: strings })),
  watcherLog: optional(observed(list(logLine))),
  mounts: optional(observed(mountEvidence)),
  selfTest: optional(observed(object({ sent: number, delivered: number }))),
});

/** What rules and views go through, as `Capture` has it: a file may have been edited, or cut short. */
export const captureShape = object({
  client: string,
  snapshot: object({
    takenAt: string,
    nodes: list(node),
    csiDrivers: observed(list(object({ name: string }))),
    daemonSets: observed(list(daemonSet)),
    pluginPods: observed(list(pluginPod)),
    volumeUses: observed(list(volumeUse)),
    podUids: optional(observed(strings)),
    secondPlugins: optional(
      observed(list(object({ key, node: string, driver: string, phase: string, createdAt: string }))),
    ),
  }),
  evidence: list(pair(string, observed(evidence))),
});
