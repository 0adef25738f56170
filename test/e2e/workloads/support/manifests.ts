import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverImage, emptyImage, shellImage } from '../../../cluster/index.ts';

export const driver = 's3.csi.test';

/** A volume of the driver with its claim; PersistentVolumes have no namespace. */
export function claimObjects(namespace: string, name: string): object[] {
  const common = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  const size = { storage: '1Gi' };
  const volume = `${namespace}-${name}`;
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: {
        ...common,
        capacity: size,
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace },
        csi: { driver, volumeHandle: volume },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace },
      spec: { ...common, resources: { requests: size }, volumeName: volume },
    },
  ];
}

const reading = ['/bin/io-app', '--interval=400ms', '--mode=append'];

/** A container that writes and reads on its mounts all the time; `image` may have no shell. */
export const container = (name: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  name,
  image: driverImage,
  imagePullPolicy: 'Never',
  command: [...reading, `--name=${name}`, '/data'],
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
  ...fields,
});

export const idle = (name: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  name,
  image: shellImage,
  imagePullPolicy: 'Never',
  command: ['sleep', '100000'],
  ...fields,
});

export const podSpec = (claim: string, containers: readonly object[], more: object = {}) => ({
  terminationGracePeriodSeconds: 0,
  automountServiceAccountToken: false,
  containers,
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
  ...more,
});

const template = (name: string, spec: object) => ({ metadata: { labels: { app: name } }, spec });

export const workload = (
  namespace: string,
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet',
  name: string,
  spec: object,
  metadata: object = {},
) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace, ...metadata },
  spec: {
    ...(kind === 'DaemonSet' ? {} : { replicas: 1 }),
    ...(kind === 'StatefulSet' && { serviceName: name }),
    selector: { matchLabels: { app: name } },
    template: template(name, spec),
  },
});

export const cronJob = (namespace: string, name: string, spec: object) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, namespace },
  spec: {
    schedule: '0 0 1 1 *',
    jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...spec } } } },
  },
});

export const job = (namespace: string, name: string, spec: object) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: { template: { spec: { restartPolicy: 'Never', ...spec } } },
});

export const barePod = (namespace: string, name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec,
});

const agent = join(
  import.meta.dirname,
  `../../../../dist/agent/agent-linux-${{ x64: 'amd64' }[process.arch as string] ?? process.arch}`,
);

/** What an app is started from whose image holds no file: the node agent stands for any static program. */
export const shellessObjects = (namespace: string): object[] => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'app', namespace },
    binaryData: { app: readFileSync(agent).toString('base64') },
  },
];

export const shelless = (claim: string) => {
  const { volumes, ...spec } = podSpec(claim, [
    {
      name: 'app',
      image: emptyImage,
      imagePullPolicy: 'Never',
      command: ['/app/app', 'hold', '--seconds', '86400'],
      securityContext: { readOnlyRootFilesystem: true, runAsUser: 65_534 },
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'app', mountPath: '/app' },
      ],
    },
  ]);
  return { ...spec, volumes: [...volumes, { name: 'app', configMap: { name: 'app', defaultMode: 0o555 } }] };
};
