import { driverImage } from '../images/names.ts';

/** An app on a CSI volume: a pod, and a PersistentVolume with its claim unless the volume is inline. */
export interface AppSpec {
  readonly name: string;
  readonly namespace?: string;
  /** The CSI driver's name. */
  readonly driver: string;
  readonly node: string;
  /** The volume's handle; the app's name when left out. Two apps with one handle share the volume. */
  readonly handle?: string;
  /** The claim to use; when left out, the app gets a claim and a PersistentVolume of its own name. */
  readonly claim?: string;
  /** Fields of the PersistentVolume's `csi`, like `readOnly` or `nodePublishSecretRef`. */
  readonly csi?: Record<string, unknown>;
  /** Fields of the PersistentVolume's spec, like `mountOptions`. */
  readonly persistentVolume?: Record<string, unknown>;
  /** Fields of the container's volumeMount, like `subPath`, `readOnly` or `mountPropagation`. */
  readonly mount?: Record<string, unknown>;
  /** More fields of the container, like `livenessProbe`. */
  readonly container?: Record<string, unknown>;
  /** Fields of the pod's spec, like `securityContext` or `hostUsers`. */
  readonly pod?: Record<string, unknown>;
  readonly image?: string;
  /** The container's command; by default it writes and reads a line a second and says so on standard output. */
  readonly command?: readonly string[];
}

/** Where the volume is mounted in the app's container. */
export const mountPath = '/data';

/** Prints a line a second: `ok N` when line N was written and read back, or what the system said. */
export const writeAndRead = `n=0
while :; do
  n=$((n+1))
  if echo "$n" >>${mountPath}/log && [ "$(tail -n 1 ${mountPath}/log)" = "$n" ]; then echo "ok $n"; else echo "failed $n"; fi
  sleep 1
done 2>&1`;

export function appObjects(app: AppSpec): object[] {
  return app.claim === undefined ? [persistentVolume(app), claim(app), pod(app)] : [pod(app)];
}

const namespaceOf = ({ namespace = 'default' }: AppSpec) => namespace;
const size = { storage: '1Gi' };

function persistentVolume(app: AppSpec) {
  const { name, driver, handle = name, csi, persistentVolume: fields } = app;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: size,
      accessModes: ['ReadWriteMany'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace: namespaceOf(app) },
      csi: { driver, volumeHandle: handle, ...csi },
      ...fields,
    },
  };
}

function claim(app: AppSpec) {
  const { name, persistentVolume: fields } = app;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: namespaceOf(app) },
    spec: {
      accessModes: fields?.accessModes ?? ['ReadWriteMany'],
      volumeMode: fields?.volumeMode ?? 'Filesystem',
      resources: { requests: size },
      storageClassName: '',
      volumeName: name,
    },
  };
}

function pod(app: AppSpec) {
  const {
    name,
    node,
    image = driverImage,
    command = ['sh', '-c', writeAndRead],
    mount,
    container,
    pod: fields,
  } = app;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: namespaceOf(app), labels: { app: name } },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'app',
          image,
          imagePullPolicy: image === driverImage ? 'Never' : 'IfNotPresent',
          command,
          volumeMounts: [{ name: 'volume', mountPath, ...mount }],
          ...container,
        },
      ],
      volumes: [{ name: 'volume', persistentVolumeClaim: { claimName: app.claim ?? name } }],
      ...fields,
    },
  };
}
