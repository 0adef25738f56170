import { driverImage } from '../../cluster/images/names.ts';
import type { PersistentCase, PublishCase } from './define-case.ts';
import { driverName } from './drivers.ts';

export const otherNamespace = 'other';
export const volumeName = 'volume';

export const namespaceOf = ({ namespace = 'default' }: PublishCase) => namespace;

const secret = (name: string, inNamespace: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: inNamespace },
  stringData,
});

/** What the cases have in common: to be there before any pod. */
export const commonObjects: readonly object[] = [
  secret('stage', 'default', { key: 'stage-value' }),
  secret('publish', 'default', { key: 'publish-value' }),
  secret('publish', otherNamespace, { key: 'other-value' }),
  secret('odd', otherNamespace, { 'a.b_c-D': 'ü\n🪣', empty: '', bom: '\ufeffx' }),
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'worker', namespace: otherNamespace },
  },
];

/** The pod of a case, and the PersistentVolume and claim that it needs. */
export function caseObjects(test: PublishCase): readonly object[] {
  const { volume } = test;
  if (volume.kind === 'inline') {
    return [pod(test, { csi: { driver: driverName(test.driver), ...volume.csi } })];
  }
  if (volume.kind === 'ephemeral') {
    const volumeClaimTemplate = { spec: claimSpec(test, volume) };
    return [persistentVolume(test, volume), pod(test, { ephemeral: { volumeClaimTemplate } })];
  }
  const claimName = volume.sharedWith ?? test.id;
  const user = pod(test, { persistentVolumeClaim: { claimName, ...volume.source } });
  return volume.sharedWith ? [user] : [persistentVolume(test, volume), claim(test, volume), user];
}

const size = { storage: '1Gi' };

function persistentVolume(test: PublishCase, volume: PersistentCase) {
  const claimName = volume.kind === 'ephemeral' ? `${test.id}-${volumeName}` : test.id;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: test.id },
    spec: {
      capacity: size,
      accessModes: volume.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      claimRef: { name: claimName, namespace: namespaceOf(test) },
      csi: {
        driver: driverName(test.driver),
        volumeHandle: volume.handle ?? `handle-${test.id}`,
        ...volume.csi,
      },
      ...volume.spec,
    },
  };
}

function claim(test: PublishCase, volume: PersistentCase) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: test.id, namespace: namespaceOf(test) },
    spec: claimSpec(test, volume),
  };
}

const claimSpec = (test: PublishCase, { accessModes = ['ReadWriteOnce'], spec = {} }: PersistentCase) => ({
  accessModes,
  volumeMode: spec.volumeMode ?? 'Filesystem',
  resources: { requests: size },
  storageClassName: '',
  volumeName: test.id,
});

function pod(test: PublishCase, source: object) {
  const { volume } = test;
  const isBlock = volume.kind === 'persistent' && volume.spec?.volumeMode === 'Block';
  const mounts = isBlock
    ? { volumeDevices: [{ name: volumeName, devicePath: '/dev/volume' }] }
    : { volumeMounts: [{ name: volumeName, mountPath: '/data' }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: test.id, namespace: namespaceOf(test) },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      hostNetwork: true,
      containers: [
        { name: 'app', image: driverImage, imagePullPolicy: 'Never', command: ['sleep', '3600'], ...mounts },
      ],
      volumes: [{ name: volumeName, ...source }],
      ...test.pod,
    },
  };
}
