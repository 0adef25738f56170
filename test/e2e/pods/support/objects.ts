import { driverImage } from '../../../cluster/index.ts';

/** The namespace of the pods that are made to be stuck. */
export const namespace = 'stuck';

const size = { storage: '1Gi' };

export interface VolumeOptions {
  readonly name: string;
  readonly driver: string;
  readonly mode?: 'ReadWriteMany' | 'ReadWriteOnce';
  /** The claim that it is for; one of its own name when left out. */
  readonly claim?: string;
  readonly csi?: object;
  readonly spec?: object;
}

export const volume = ({ name, driver, mode = 'ReadWriteMany', claim = name, csi, spec }: VolumeOptions) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: size,
    accessModes: [mode],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: '',
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim, namespace },
    csi: { driver, volumeHandle: name, ...csi },
    ...spec,
  },
});

/** A claim for the volume of its own name, unless `spec` says something else. */
export const claim = (name: string, spec: object = { storageClassName: '', volumeName: name }) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace },
  spec: { accessModes: ['ReadWriteMany'], resources: { requests: size }, ...spec },
});

export interface PodOptions {
  readonly name: string;
  /** Absent: whoever takes it; by a selector, so that the scheduler looks at its volumes. */
  readonly node?: string;
  /** The volume's source in the pod; the claim of the pod's own name when left out. */
  readonly source?: object;
  readonly mount?: object;
  readonly metadata?: object;
  readonly container?: object;
  readonly spec?: object;
}

export const pod = ({ name, node, source, mount, metadata, container, spec }: PodOptions) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...metadata },
  spec: {
    ...(node && { nodeSelector: { 'kubernetes.io/hostname': node } }),
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [
      {
        name: 'app',
        image: driverImage,
        imagePullPolicy: 'Never',
        command: ['/bin/sh', '-c', 'while :; do sleep 1; done'],
        volumeMounts: [{ name: 'data', mountPath: '/data', ...mount }],
        ...container,
      },
    ],
    volumes: [{ name: 'data', ...(source ?? { persistentVolumeClaim: { claimName: name } }) }],
    ...spec,
  },
});

/** A volume, its claim and a pod, all of one name. */
export const whole = (
  options: PodOptions & Pick<VolumeOptions, 'driver' | 'mode' | 'csi'> & { readonly volume?: object },
): readonly object[] => {
  const { name, driver, mode = 'ReadWriteMany', csi, volume: more } = options;
  return [
    volume({ name, driver, mode, ...(csi && { csi }), ...(more && { spec: more }) }),
    claim(name, { storageClassName: '', volumeName: name, accessModes: [mode] }),
    pod(options),
  ];
};

export const attachment = (name: string, driver: string, node: string, persistentVolume: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: persistentVolume } },
});
