import type { V1Container, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { plainContainerId } from '../kubelet/container-id.ts';
import type { Wire } from '../kubelet/wire.ts';
import { type NodeName, nodeName, type ObjectKey } from '../model/ids.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { controllerOf } from './owners.ts';

/** The label by which pods and ControllerRevisions of a DaemonSet belong together (apps/v1, DefaultDaemonSetUniqueLabelKey). */
export const revisionLabel = 'controller-revision-hash';

/** What is asked of any pod on a node: which containers are its own, and who owns it. */
export interface PodFacts {
  readonly key: ObjectKey;
  readonly node?: NodeName;
  readonly owner?: WorkloadRef;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly ContainerFacts[];
}

export interface ContainerFacts {
  readonly name: string;
  /** The runtime's id without its `containerd://`; empty before the first start. */
  readonly containerId: string;
  /** The command line of its exec liveness probe. */
  readonly probe: readonly string[];
}

type Container = Pick<Wire<V1Container>, 'name' | 'livenessProbe'>;

export function podFacts(pod: Wire<V1Pod>): PodFacts {
  const { metadata, spec, status } = pod;
  const owner = controllerOf(pod);
  const groups: readonly (readonly [
    readonly Container[] | undefined,
    readonly Wire<V1ContainerStatus>[] | undefined,
  ])[] = [
    [spec?.initContainers, status?.initContainerStatuses],
    [spec?.containers, status?.containerStatuses],
    [spec?.ephemeralContainers, status?.ephemeralContainerStatuses],
  ];
  return {
    key: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    ...(spec?.nodeName && { node: nodeName(spec.nodeName) }),
    ...(owner && { owner }),
    labels: metadata?.labels ?? {},
    containers: groups.flatMap(([containers = [], statuses = []]) =>
      containers.map(({ name, livenessProbe }) => ({
        name,
        containerId: plainContainerId(statuses.find((each) => each.name === name)?.containerID ?? ''),
        probe: livenessProbe?.exec?.command ?? [],
      })),
    ),
  };
}

/** Whether a probe's command names the path, or something below it. */
export const looksAt = (probe: readonly string[], path: string) =>
  probe.some((word) =>
    word
      .split(/[\s"';=|&()]+/)
      .some((part) => part === path || part.startsWith(path === '/' ? path : `${path}/`)),
  );
