import { driverImage } from '../../../cluster/index.ts';
import type { DriverClass } from './shared.ts';

/** A CSI volume of the test's own: by claim, shared by all pods that name its handle, or inline in one pod. */
export interface Volume {
  readonly driver?: DriverClass;
  /** The volume's handle, which is also the name of its PersistentVolume and claim; inline without one. */
  readonly handle?: string;
  readonly mountOptions?: readonly string[];
  readonly attributes?: Readonly<Record<string, string>>;
  /** By the claim's own `readOnly`. */
  readonly readOnly?: boolean;
}

/** A path that the app tries, and the object that stands for what it writes there. */
export interface Place {
  readonly path: string;
  /** The directory in the bucket; left out where the app writes to no CSI volume. */
  readonly stored?: string;
}

export interface AppContainer {
  readonly name: string;
  readonly role?: 'app' | 'init' | 'sidecar';
  readonly mounts: readonly Readonly<Record<string, unknown>>[];
  readonly places: readonly Place[];
  /** The name of the file that it writes or reads, without `.log`; `POD-CONTAINER` when left out. */
  readonly file?: string;
  readonly mode?: 'append' | 'rewrite' | 'read';
  /** More arguments of io-app. */
  readonly args?: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A pod whose containers write and read on CSI volumes all the time, and tell how each attempt went. */
export interface AppPod {
  readonly name: string;
  readonly node?: string;
  readonly volumes: Readonly<Record<string, Volume | { readonly emptyDir: object }>>;
  readonly containers: readonly AppContainer[];
  /** Init containers that end. */
  readonly setUp?: readonly object[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

export const driverNames: Readonly<Record<DriverClass, string>> = {
  staging: 's3.csi.test',
  plain: 'plain.csi.test',
  group: 'group.csi.test',
};

/** Milliseconds between two attempts of an app. */
export const pace = 400;

export const fileOf = (pod: AppPod, container: AppContainer) =>
  container.file ?? `${pod.name}-${container.name}`;

/** All objects that these pods need, in one namespace. */
export const podObjects = (namespace: string, pods: readonly AppPod[]): readonly object[] => [
  ...claimsOf(namespace, pods),
  ...pods.map((pod) => podObject(namespace, pod)),
];

/** The PersistentVolumes and claims of these pods. */
export function claimsOf(namespace: string, pods: readonly AppPod[]): readonly object[] {
  const volumes = pods.flatMap((pod) => Object.values(pod.volumes)).filter(isClaimed);
  const byHandle = new Map(volumes.map((volume) => [volume.handle, volume]));
  return [...byHandle.values()].flatMap((volume) => claimObjects(namespace, volume));
}

type Claimed = Volume & { readonly handle: string };
const isCsi = (volume: AppPod['volumes'][string]): volume is Volume => !('emptyDir' in volume);
const isClaimed = (volume: AppPod['volumes'][string]): volume is Claimed =>
  isCsi(volume) && volume.handle !== undefined;

/** What the handle is called in the cluster: PersistentVolumes have no namespace. */
const volumeNameOf = (namespace: string, handle: string) => `${namespace}-${handle}`;

function claimObjects(namespace: string, { handle, driver, mountOptions, attributes }: Claimed): object[] {
  const name = volumeNameOf(namespace, handle);
  const common = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  const size = { storage: '1Gi' };
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: handle, namespace };
  const csi = {
    driver: driverNames[driver ?? 'staging'],
    volumeHandle: name,
    ...(attributes && { volumeAttributes: attributes }),
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, labels: { test: namespace } },
      spec: {
        ...common,
        capacity: size,
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef,
        csi,
        ...(mountOptions && { mountOptions }),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: handle, namespace },
      spec: { ...common, resources: { requests: size }, volumeName: name },
    },
  ];
}

export function podObject(namespace: string, pod: AppPod): object {
  const { name, node = 'node-1', containers, setUp = [], fields } = pod;
  const init = containers.filter(({ role = 'app' }) => role !== 'app');
  const app = containers.filter(({ role = 'app' }) => role === 'app');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(init.length + setUp.length > 0 && {
        initContainers: [...setUp, ...init.map((each) => containerObject(pod, each))],
      }),
      containers: app.map((each) => containerObject(pod, each)),
      volumes: Object.entries(pod.volumes).map(([volume, source]) => volumeObject(volume, source)),
      ...fields,
    },
  };
}

function volumeObject(name: string, source: AppPod['volumes'][string]): object {
  if (!isCsi(source)) return { name, ...source };
  const { handle, driver = 'staging', readOnly = false, attributes } = source;
  if (handle !== undefined) return { name, persistentVolumeClaim: { claimName: handle, readOnly } };
  return { name, csi: { driver: driverNames[driver], readOnly, volumeAttributes: { ...attributes } } };
}

export function containerObject(pod: AppPod, container: AppContainer): object {
  const { name, role = 'app', mounts, places, mode = 'append', args = [], fields } = container;
  const flags = [`--interval=${pace}ms`, `--name=${fileOf(pod, container)}`, `--mode=${mode}`];
  return {
    name,
    image: driverImage,
    imagePullPolicy: 'Never',
    command: ['/bin/io-app', ...flags, ...args, ...places.map(({ path }) => path)],
    volumeMounts: mounts,
    ...(role === 'sidecar' && { restartPolicy: 'Always' }),
    ...fields,
  };
}

/** An init container that runs a shell line and ends. */
export const shell = (name: string, line: string, volumeMounts: readonly object[]): object => ({
  name,
  image: driverImage,
  imagePullPolicy: 'Never',
  command: ['/bin/sh', '-c', line],
  volumeMounts,
});

/** A pod with one container `app` that writes at `/data` to a volume of the pod's own name. */
export const simplePod = (
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  args: readonly string[] = [],
): AppPod => ({
  name,
  volumes: { data: { handle: name } },
  containers: [
    {
      name: 'app',
      mounts: [{ name: 'data', mountPath: '/data' }],
      places: [{ path: '/data', stored: name }],
      args,
    },
  ],
  fields,
});
