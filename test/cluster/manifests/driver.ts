import { driverImage } from '../images/names.ts';

/** A CSI driver of the tests: what class of driver it is, and where its node plugin runs. */
export interface DriverSpec {
  /** The CSIDriver's name, like `s3.csi.test`; several drivers run side by side under different names. */
  readonly name: string;
  readonly namespace?: string;
  /** `fuse-s3`: a FUSE daemon in the driver's container; `bind`: bind mounts; `none`: registers, mounts nothing. */
  readonly mode?: 'fuse-s3' | 'bind' | 'none';
  /** More arguments of csi-driver, like `--staging`. */
  readonly driverArgs?: readonly string[];
  /** More arguments of csi-registrar. */
  readonly registrarArgs?: readonly string[];
  /** Fields of the CSIDriver's spec; by default no attachment is required. */
  readonly csiDriver?: Record<string, unknown>;
  /** The kubelet root that the manifest takes for given; the cluster's own when left out. */
  readonly kubeletRoot?: string;
  /** The name of the plugin folder under `plugins/`; the driver's name when left out. */
  readonly folder?: string;
  readonly nodeSelector?: Record<string, string>;
  readonly tolerations?: readonly object[];
  /** Names the DaemonSet where it is not to follow from the driver's name. */
  readonly daemonSet?: string;
  readonly image?: string;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
}

/** A driver specification with nothing left out that a manifest needs. */
export interface CompleteDriver extends DriverSpec {
  readonly namespace: string;
  readonly mode: 'fuse-s3' | 'bind' | 'none';
  readonly kubeletRoot: string;
  readonly daemonSet: string;
  readonly s3: { readonly endpoint: string; readonly bucket: string };
}

export const driverContainer = 'driver';
export const registrarContainer = 'registrar';

/** The driver's plugin folder on a node. */
export const pluginFolder = ({ kubeletRoot, name, folder = name }: CompleteDriver) =>
  `${kubeletRoot}/plugins/${folder}`;
export const registrySocket = ({ kubeletRoot, name }: CompleteDriver) =>
  `${kubeletRoot}/plugins_registry/${name}-reg.sock`;

/** All objects of a driver: namespace, CSIDriver, StorageClass and the DaemonSet of its node plugin. */
export function driverObjects(driver: CompleteDriver): object[] {
  return [namespace(driver.namespace), csiDriver(driver), storageClass(driver), daemonSet(driver)];
}

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

function csiDriver({ name, csiDriver }: CompleteDriver) {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'], ...csiDriver },
  };
}

function storageClass({ name }: CompleteDriver) {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: name,
    volumeBindingMode: 'Immediate',
  };
}

export const driverLabels = ({ daemonSet }: CompleteDriver) => ({ app: daemonSet });

function daemonSet(driver: CompleteDriver) {
  const { nodeSelector, tolerations, imagePullSecrets } = driver;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: driver.daemonSet, namespace: driver.namespace },
    spec: {
      selector: { matchLabels: driverLabels(driver) },
      template: {
        metadata: { labels: driverLabels(driver) },
        spec: {
          hostNetwork: true,
          affinity: { nodeAffinity: notExcluded(driver.name) },
          priorityClassName: 'system-node-critical',
          terminationGracePeriodSeconds: 5,
          ...(nodeSelector && { nodeSelector }),
          ...(tolerations && { tolerations }),
          ...(imagePullSecrets && { imagePullSecrets }),
          containers: [pluginContainer(driver), registrar(driver)],
          volumes: volumes(driver),
        },
      },
    },
  };
}

/** A node with this label gets no node plugin of the driver, and loses the one that it has. */
export const excludedLabel = (driver: string) => `test.local/no-${driver}`;

const notExcluded = (driver: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: excludedLabel(driver), operator: 'DoesNotExist' }] }],
  },
});

/** The node plugin mounts for kubelet and the apps, so it shares kubelet's root in both directions. */
function pluginContainer(driver: CompleteDriver) {
  const { name, mode, kubeletRoot, s3, driverArgs = [] } = driver;
  const args = [
    '--endpoint=unix:///csi/csi.sock',
    `--driver-name=${name}`,
    '--node-id=$(NODE_NAME)',
    `--mode=${mode}`,
  ];
  const store = mode === 'fuse-s3' ? [`--s3-endpoint=${s3.endpoint}`, `--s3-bucket=${s3.bucket}`] : [];
  return {
    ...container(driver, driverContainer, 'csi-driver'),
    args: [
      ...args,
      ...store,
      '--data-dir=/csi/data',
      '--control=/csi/control',
      '--record=/csi/record/',
      ...driverArgs,
    ],
    env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    securityContext: { privileged: true },
    volumeMounts: [
      { name: 'plugin', mountPath: '/csi' },
      { name: 'kubelet', mountPath: kubeletRoot, mountPropagation: 'Bidirectional' },
    ],
  };
}

function registrar(driver: CompleteDriver) {
  const path = `--kubelet-registration-path=${pluginFolder(driver)}/csi.sock`;
  return {
    ...container(driver, registrarContainer, 'csi-registrar'),
    args: ['--csi-address=/csi/csi.sock', path, ...(driver.registrarArgs ?? [])],
    volumeMounts: [
      { name: 'plugin', mountPath: '/csi' },
      { name: 'registry', mountPath: '/registration' },
    ],
  };
}

const container = ({ image = driverImage }: CompleteDriver, name: string, program: string) => ({
  name,
  image,
  imagePullPolicy: image === driverImage ? 'Never' : 'IfNotPresent',
  command: [`/bin/${program}`],
});

function volumes(driver: CompleteDriver) {
  const hostPath = (name: string, path: string, type: string) => ({ name, hostPath: { path, type } });
  return [
    hostPath('plugin', pluginFolder(driver), 'DirectoryOrCreate'),
    hostPath('registry', `${driver.kubeletRoot}/plugins_registry`, 'DirectoryOrCreate'),
    hostPath('kubelet', driver.kubeletRoot, 'DirectoryOrCreate'),
  ];
}
