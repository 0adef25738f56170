import type {
  V1Container,
  V1ContainerStatus,
  V1EphemeralContainer,
  V1Pod,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { containerPath } from '../../model/ids.ts';
import type { VolumeContainer, VolumeMount } from '../../model/snapshot.ts';

type Pod = Wire<V1Pod>;
type Container = Wire<V1Container> | Wire<V1EphemeralContainer>;

/** The containers of a pod that mount one of its volumes, init and ephemeral ones included. */
export function volumeContainers({ spec, status }: Pod, volume: string): readonly VolumeContainer[] {
  const groups = [
    ['init', spec?.initContainers, status?.initContainerStatuses],
    ['app', spec?.containers, status?.containerStatuses],
    ['ephemeral', spec?.ephemeralContainers, status?.ephemeralContainerStatuses],
  ] as const;
  return groups.flatMap(([role, containers = [], statuses = []]) =>
    (containers as readonly Container[]).flatMap((container) => {
      const declared = (container.volumeMounts ?? []).map(
        (mount) => [mount.name, volumeMount(mount)] as const,
      );
      const mounts = declared.flatMap(([name, mount]) => (name === volume ? mount : []));
      if (mounts.length === 0) return [];
      const paths = declared.flatMap(([name, { path }]) => (mayBeCsi(spec, name) ? path : []));
      return [
        { name: container.name, role, containerId: runningId(container.name, statuses), mounts, paths },
      ];
    }),
  );
}

const mayBeCsi = (spec: Pod['spec'], volume: string) =>
  (spec?.volumes ?? []).some(
    ({ name, csi, ephemeral, persistentVolumeClaim }) =>
      name === volume && Boolean(csi ?? ephemeral ?? persistentVolumeClaim),
  );

function runningId(name: string, statuses: readonly Wire<V1ContainerStatus>[]): string {
  const status = statuses.find((each) => each.name === name);
  return status?.state?.running ? (status.containerID ?? '').replace(/^.*:\/\//, '') : '';
}

const volumeMount = (mount: Wire<V1VolumeMount>): VolumeMount => ({
  path: containerPath(mount.mountPath.length > 1 ? mount.mountPath.replace(/\/+$/, '') : mount.mountPath),
  subPath: Boolean(mount.subPath || mount.subPathExpr),
  readOnly: mount.readOnly ?? false,
  propagation: (mount.mountPropagation ?? 'None') as VolumeMount['propagation'],
});
