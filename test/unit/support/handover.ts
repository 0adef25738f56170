import type { RestartOptions } from '../../../src/repair/handover/way.ts';
import { captured, type Parts, seenDriver } from './captures.ts';

export const healthy = captured('healthy');

/** The driver of the capture, and its node plugin's pod. */
export const { driver, pod } = seenDriver(healthy);

const folder = pod?.hostPaths.find((path) => path.includes('/plugins/')) ?? '';

/** The template of a node plugin that can run twice on a node. */
export const twice = {
  spec: {
    containers: [
      {
        name: 'driver',
        args: ['--endpoint=unix:///csi/csi.sock'],
        volumeMounts: [
          { name: 'plugin', mountPath: '/csi' },
          { name: 'kubelet', mountPath: '/var/lib/kubelet', mountPropagation: 'Bidirectional' },
        ],
      },
      {
        name: 'registrar',
        image: 'node-driver-registrar:v2',
        args: [`--kubelet-registration-path=${folder}/csi.sock`],
        volumeMounts: [{ name: 'registry', mountPath: '/registration' }],
      },
    ],
    volumes: [
      { name: 'plugin', hostPath: { path: folder } },
      { name: 'registry', hostPath: { path: '/var/lib/kubelet/plugins_registry' } },
      { name: 'kubelet', hostPath: { path: '/var/lib/kubelet' } },
    ],
  },
} as never;

/** What the user asked for, with the template that the driver's DaemonSet has. */
export const restartOptions = (template: never, drainMs: number): RestartOptions => ({
  driver,
  handover: true,
  force: false,
  drainMs,
  daemonSets: [
    { key: { namespace: pod?.key.namespace ?? '', name: pod?.owner?.split('/')[1] ?? '' }, template },
  ],
  metadata: {},
});

/** Every mount of the node is one of a FUSE daemon that answers. */
export function fuse({ evidence }: Parts): void {
  if (!evidence.mounts?.seen) return;
  for (const mount of evidence.mounts.value.mounts)
    Object.assign(mount, { fsType: 'fuse.test', state: 'alive' });
}
