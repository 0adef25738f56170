import type { V1Container, V1ContainerStatus, V1Node, V1Pod } from '@kubernetes/client-node';
import { kubeletUid } from '../../kubelet/publish/volume.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { type NodeName, nodeName, type ObjectKey } from '../../model/ids.ts';
import { mapSeen, valueOr } from '../../model/observed.ts';
import type { NodeObject, NodeState, PodContainer, PodFacts } from '../../model/pod.ts';
import type { Api } from '../api.ts';
import { readIfThere } from '../attempt.ts';
import { isNotFound } from '../errors.ts';
import { readAttachments } from './attachments.ts';
import { readPodEvents } from './events.ts';
import { readPodVolumes } from './volumes.ts';

type Pod = Wire<V1Pod>;

/**
 * One pod and all that its volumes hang on, read now. What may not be read is unseen with the right that is missing.
 * @returns undefined where there is no such pod
 * @throws ApiError when the pod itself cannot be read
 */
export async function readPodFacts(
  api: Api,
  { namespace, name }: ObjectKey,
  signal: AbortSignal,
): Promise<PodFacts | undefined> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const pod = await api.get<Pod>(path, {}, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!pod) return undefined;
  const volumes = await readPodVolumes(api, pod, signal);
  const [events, attachments] = await Promise.all([
    readPodEvents(api, pod, volumes, signal),
    readAttachments(api, volumes, pod.spec?.nodeName, signal),
  ]);
  const own = pod.spec?.nodeName ? [nodeName(pod.spec.nodeName)] : [];
  const nodes = new Set([...own, ...valueOr(attachments, []).map(({ node }) => node)]);
  return {
    ...podParts(pod),
    volumes,
    events,
    attachments,
    nodes: await Promise.all([...nodes].map((node) => readNodeState(api, node, signal))),
  };
}

function podParts(pod: Pod): Omit<PodFacts, 'volumes' | 'events' | 'attachments' | 'nodes'> {
  const { metadata, spec, status } = pod;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const unschedulable = scheduled?.status === 'False' ? (scheduled.message ?? scheduled.reason) : undefined;
  return {
    key: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    uid: metadata?.uid ?? '',
    kubeletUid: kubeletUid(pod),
    ...(spec?.nodeName && { node: nodeName(spec.nodeName) }),
    phase: status?.phase ?? 'Unknown',
    ...(status?.reason && { reason: status.reason }),
    createdAt: metadata?.creationTimestamp ?? '',
    ...(metadata?.deletionTimestamp && { endsAt: metadata.deletionTimestamp }),
    finalizers: metadata?.finalizers ?? [],
    schedulingGates: (spec?.schedulingGates ?? []).map(({ name }) => name),
    ...(unschedulable && { unschedulable }),
    containers: containersOf(pod),
  };
}

function containersOf({ spec, status }: Pod): readonly PodContainer[] {
  const groups = [
    [spec?.initContainers, status?.initContainerStatuses],
    [spec?.containers, status?.containerStatuses],
  ] as const;
  return groups.flatMap(([containers = [], statuses = []]) =>
    containers.map(({ name }: Wire<V1Container>) =>
      container(
        name,
        statuses.find((each) => each.name === name),
      ),
    ),
  );
}

function container(name: string, status: Wire<V1ContainerStatus> | undefined): PodContainer {
  const { running, terminated, waiting } = status?.state ?? {};
  const told = waiting ?? terminated;
  return {
    name,
    state: running ? 'running' : terminated ? 'terminated' : 'waiting',
    reason: told?.reason ?? '',
    message: told?.message ?? '',
    containerId: (status?.containerID ?? '').replace(/^.*:\/\//, ''),
  };
}

async function readNodeState(api: Api, name: NodeName, signal: AbortSignal): Promise<NodeState> {
  const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
  const node = await readIfThere<Wire<V1Node>>(api, path, signal);
  return { name, object: mapSeen(node, (found) => found && nodeObject(found)) };
}

function nodeObject({ spec, status }: Wire<V1Node>): NodeObject {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    ready: ready?.status === 'True',
    why: ready?.message ?? 'it has no condition Ready',
    since: ready?.lastTransitionTime ?? '',
    // https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown
    outOfService: spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') ?? false,
    volumesInUse: status?.volumesInUse ?? [],
  };
}
