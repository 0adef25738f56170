import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { WorkloadRef } from '../../model/workload.ts';
import { kindOf, type WorkloadKind, type WorkloadObject, workloadKinds } from '../../workload/kinds.ts';
import { controllerOf } from '../../workload/owners.ts';
import type { Api } from '../api.ts';
import { listPath } from './list-path.ts';

/** Who changed a field, in `managedFields`. */
export const fieldManager = 'kubectl-csi';

const segment = encodeURIComponent;

export function workloadPath(ref: WorkloadRef): string {
  const kind = kindOf(ref);
  if (!kind) throw new Error(`${ref.kind} is no kind of workload that is known`);
  return `${listPath(kind.group, kind.resource, segment(ref.namespace))}/${segment(ref.name)}`;
}

/** Items of a list come without their kind. */
const withKind = (object: WorkloadObject, { apiVersion, kind }: WorkloadKind): WorkloadObject => ({
  ...object,
  apiVersion,
  kind,
});

/** @throws ApiError */
export async function readWorkload(api: Api, ref: WorkloadRef, signal: AbortSignal): Promise<WorkloadObject> {
  const object = await api.get<WorkloadObject>(workloadPath(ref), {}, { signal });
  return withKind(object, kindOf(ref) as WorkloadKind);
}

/** Every workload that nobody controls: what people deployed. @param namespace all where it is left out */
export async function listWorkloads(
  api: Api,
  signal: AbortSignal,
  namespace?: string,
): Promise<readonly WorkloadObject[]> {
  const lists = workloadKinds.map(async (kind) => {
    const path = listPath(kind.group, kind.resource, namespace && segment(namespace));
    const items = await api.list<WorkloadObject>(path, {}, { signal });
    return items.filter((item) => !controllerOf(item)).map((item) => withKind(item, kind));
  });
  return (await Promise.all(lists)).flat();
}

export const listPods = (api: Api, signal: AbortSignal, namespace?: string) =>
  api.list<Wire<V1Pod>>(listPath('/api/v1', 'pods', namespace && segment(namespace)), {}, { signal });

/** Architectures of the nodes that pods can come to. */
export async function nodeArchitectures(api: Api, signal: AbortSignal): Promise<readonly string[]> {
  const nodes = await api.list<{
    status?: { nodeInfo?: { architecture?: string; operatingSystem?: string } };
  }>('/api/v1/nodes', {}, { signal });
  return nodes.flatMap(({ status }) =>
    status?.nodeInfo?.operatingSystem === 'linux' ? (status.nodeInfo.architecture ?? []) : [],
  );
}

/** One strategic merge patch. @param dryRun on the server: everything but the change */
export const patchWorkload = (
  api: Api,
  ref: WorkloadRef,
  patch: object,
  dryRun: boolean,
  signal: AbortSignal,
) =>
  api.patch<WorkloadObject>(
    workloadPath(ref),
    patch,
    'strategic',
    { fieldManager, ...(dryRun && { dryRun: 'All' }) },
    { signal },
  );
