import { driverImage } from '../../../cluster/images/names.ts';
import type { ClusterNode } from '../../../cluster/index.ts';

/** A node plugin whose one container runs driver and registrar, as some vendors ship theirs. */
export function oneContainerPlugin(name: string, { name: node, kubeletRoot }: ClusterNode): object {
  const folder = `${kubeletRoot}/plugins/${name}`;
  const registrar = `csi-registrar --csi-address=/csi/csi.sock --kubelet-registration-path=${folder}/csi.sock`;
  const driver = `csi-driver --endpoint=unix:///csi/csi.sock --driver-name=${name} --node-id=${node} --mode=none`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'both', namespace: 'csi' },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'both',
          image: driverImage,
          imagePullPolicy: 'Never',
          command: ['sh', '-c', `${registrar} & exec ${driver}`],
          volumeMounts: [
            { name: 'plugin', mountPath: '/csi' },
            { name: 'registry', mountPath: '/registration' },
          ],
        },
      ],
      volumes: [
        { name: 'plugin', hostPath: { path: folder, type: 'DirectoryOrCreate' } },
        { name: 'registry', hostPath: { path: `${kubeletRoot}/plugins_registry`, type: 'Directory' } },
      ],
    },
  };
}
