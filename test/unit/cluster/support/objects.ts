/** Kubernetes objects as the API server sends them, cut to what is read. */

const meta = (name: string, more: object = {}) => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  ...more,
});

export const node = (name: string, more: { metadata?: object; spec?: object; os?: string } = {}) => ({
  metadata: meta(name, { labels: { 'kubernetes.io/os': more.os ?? 'linux' }, ...more.metadata }),
  spec: more.spec ?? {},
  status: {
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
    nodeInfo: {
      operatingSystem: more.os ?? 'linux',
      architecture: 'amd64',
      kubeletVersion: 'v1.34.4',
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      kernelVersion: '6.18.0',
      containerRuntimeVersion: 'containerd://1.6.20',
    },
  },
});

export const csiNode = (name: string, drivers: readonly object[] | null) => ({
  metadata: meta(name),
  spec: { drivers },
});

export const csiDriver = (name: string, spec: object = {}) => ({
  metadata: meta(name, { creationTimestamp: '2026-01-02T03:04:05Z' }),
  spec,
});

const registry = '/var/lib/kubelet/plugins_registry';

export const pluginTemplate = (driver: string) => ({
  metadata: { labels: { app: driver } },
  spec: {
    serviceAccountName: 'csi',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [
      {
        name: 'registrar',
        image: 'example.com/csi-node-driver-registrar:v2.15.0',
        args: [`--kubelet-registration-path=/var/lib/kubelet/plugins/${driver}/csi.sock`],
      },
      { name: 'driver', image: 'example.com/driver:v1' },
    ],
    volumes: [{ name: 'registry', hostPath: { path: registry, type: 'Directory' } }],
  },
});

export const daemonSet = (name: string, template: object) => ({
  metadata: meta(name, { namespace: 'kube-system' }),
  spec: { selector: {}, template },
});

export const pod = (name: string, more: { metadata?: object; spec?: object; status?: object } = {}) => ({
  metadata: meta(name, { namespace: 'apps', ...more.metadata }),
  spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app' }], ...more.spec },
  status: { phase: 'Running', ...more.status },
});

export const claim = (name: string, volumeName: string | undefined, metadata: object = {}) => ({
  metadata: meta(name, { namespace: 'apps', ...metadata }),
  spec: { volumeName },
});

export const persistentVolume = (name: string, source: object) => ({ metadata: meta(name), spec: source });
