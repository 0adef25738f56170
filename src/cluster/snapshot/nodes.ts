import type { V1Node, V1Taint } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { mapConcurrent } from '../../model/concurrent.ts';
import { nodeName } from '../../model/ids.ts';
import type { NodeSnapshot, Taint } from '../../model/snapshot.ts';
import type { Api, CallOptions } from '../api.ts';

type Node = Wire<V1Node>;

/** The part of a NodeSnapshot that the Node object holds. */
export type NodeFacts = Omit<NodeSnapshot, 'csiNode' | 'kubeletPlugins' | 'kubeletVolumes' | 'kubeletConfig'>;

export interface NodeScope {
  readonly nodes?: readonly string[] | undefined;
  readonly selector?: string | undefined;
}

const readsAtOnce = 20;

/** The nodes named, else those that the selector chooses, else all. @throws ApiError: an unknown name, no right to read. */
export async function readNodes(
  api: Api,
  scope: NodeScope,
  options: CallOptions,
): Promise<readonly NodeFacts[]> {
  const path = '/api/v1/nodes';
  const nodes = scope.nodes?.length
    ? await mapConcurrent(scope.nodes, readsAtOnce, (name) =>
        api.get<Node>(`${path}/${encodeURIComponent(name)}`, {}, options),
      )
    : await api.list<Node>(path, { labelSelector: scope.selector }, options);
  return nodes.map(nodeFacts);
}

function nodeFacts(node: Node): NodeFacts {
  const { metadata, spec, status } = node;
  const info = status?.nodeInfo;
  const unreachable = whyUnreachable(node);
  return {
    name: nodeName(metadata?.name ?? ''),
    uid: metadata?.uid ?? '',
    ready: status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    os: info?.operatingSystem ?? '',
    arch: info?.architecture ?? '',
    kubeletVersion: info?.kubeletVersion ?? '',
    osImage: info?.osImage ?? '',
    kernelVersion: info?.kernelVersion ?? '',
    containerRuntime: info?.containerRuntimeVersion ?? '',
    labels: metadata?.labels ?? {},
    taints: (spec?.taints ?? []).map(taint),
    unschedulable: spec?.unschedulable ?? false,
    ...(unreachable && { unreachable }),
  };
}

const taint = ({ key, value = '', effect }: Wire<V1Taint>): Taint => ({ key, value, effect });

/** Nodes on which no Linux pod with the host's root can run. */
function whyUnreachable({ metadata, spec, status }: Node): string | undefined {
  const labels = metadata?.labels ?? {};
  const tainted = (key: string) => spec?.taints?.some((taint) => taint.key === key) ?? false;
  // https://docs.aws.amazon.com/eks/latest/userguide/fargate.html : no privileged pods, no DaemonSets.
  if (labels['eks.amazonaws.com/compute-type'] === 'fargate' || metadata?.name?.startsWith('fargate-')) {
    return 'an AWS Fargate node runs no privileged pod';
  }
  if (labels.type === 'virtual-kubelet' || tainted('virtual-kubelet.io/provider')) {
    return 'a virtual-kubelet node has no kubelet and no host';
  }
  // https://kwok.sigs.k8s.io/docs/user/kwok-manage-nodes-and-pods/
  if (metadata?.annotations?.['kwok.x-k8s.io/node'] || tainted('kwok.x-k8s.io/node')) {
    return 'a kwok node is simulated';
  }
  const windows = (labels['kubernetes.io/os'] ?? status?.nodeInfo?.operatingSystem) === 'windows';
  return windows ? 'the node runs Windows, the node agent is for Linux' : undefined;
}
