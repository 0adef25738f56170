import type { V1ContainerState, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { longRunning, pluginSpec } from '../../kubelet/plugin-spec.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { nodeName } from '../../model/ids.ts';
import type { ContainerSnapshot, PluginPod } from '../../model/snapshot.ts';

type Pod = Wire<V1Pod>;

/** Of all pods, those that register a CSI driver. */
export const pluginPods = (pods: readonly Pod[]): readonly PluginPod[] =>
  pods.flatMap((pod) => pluginPod(pod) ?? []);

function pluginPod(pod: Pod): PluginPod | undefined {
  const { metadata, spec, status } = pod;
  const plugin = pluginSpec(pod);
  if (!spec || !plugin) return undefined;
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return {
    ...plugin,
    key: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    uid: metadata?.uid ?? '',
    ...(spec.nodeName && { node: nodeName(spec.nodeName) }),
    phase: status?.phase ?? 'Unknown',
    deleting: metadata?.deletionTimestamp !== undefined,
    ...(owner && { owner: `${owner.kind}/${owner.name}` }),
    serviceAccount: spec.serviceAccountName ?? 'default',
    imagePullSecrets: (spec.imagePullSecrets ?? []).flatMap(({ name }) => name ?? []),
    containers: longRunning(spec).map(({ name, image = '' }) =>
      container(
        name,
        image,
        statuses.find((status) => status.name === name),
      ),
    ),
  };
}

function container(
  name: string,
  image: string,
  status: Wire<V1ContainerStatus> | undefined,
): ContainerSnapshot {
  const ended = status?.lastState?.terminated;
  return {
    name,
    image,
    imageId: status?.imageID ?? '',
    containerId: (status?.containerID ?? '').replace(/^\w+:\/\//, ''),
    ready: status?.ready ?? false,
    restarts: status?.restartCount ?? 0,
    state: stateText(status?.state),
    ...(ended && { lastEnd: `${ended.reason ?? 'ended'} (${ended.exitCode})` }),
  };
}

function stateText(state: Wire<V1ContainerState> | undefined): string {
  if (state?.running) return 'running';
  return state?.waiting?.reason ?? state?.terminated?.reason ?? 'Pending';
}
