import type { WorkloadObject } from '../../../src/workload/kinds.ts';

/** A pod spec of two containers on one CSI volume. */
export const podSpec = () => ({
  containers: [
    {
      name: 'app',
      image: 'app',
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
      ports: [{ name: 'web', containerPort: 8080 }],
    },
    { name: 'beside', image: 'beside', livenessProbe: { httpGet: { port: 80 } }, tty: true },
  ],
  volumes: [{ name: 'data', csi: { driver: 's3.csi' } }],
  restartPolicy: 'Always',
});

export const deployment = (
  metadata: object = {},
  status: object = {},
  spec: object = {},
): WorkloadObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', generation: 2, ...metadata },
  spec: { replicas: 2, template: { metadata: { labels: { app: 'web' } }, spec: podSpec() }, ...spec },
  status: { ...status },
});
