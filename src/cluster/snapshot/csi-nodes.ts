import type { V1CSINode, V1CSINodeDriver } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { driverName, type NodeName } from '../../model/ids.ts';
import { mapSeen, type Observed } from '../../model/observed.ts';
import type { CsiNodeDriver } from '../../model/snapshot.ts';
import type { Api, CallOptions } from '../api.ts';
import { attempt } from '../attempt.ts';

/**
 * CSINode's drivers by node. A node without a CSINode object has none: kubelet makes the object at its start, before
 * any driver registers (pkg/volume/csi/nodeinfomanager).
 */
export async function readCsiNodes(
  api: Api,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<(node: NodeName) => Observed<readonly CsiNodeDriver[]>> {
  const list = api.list<Wire<V1CSINode>>('/apis/storage.k8s.io/v1/csinodes', {}, options);
  const read = await attempt(list, options.signal);
  const byName = mapSeen(
    read,
    (items) => new Map(items.map((item) => [item.metadata?.name, item.spec.drivers ?? []])),
  );
  return (node) => mapSeen(byName, (drivers) => (drivers.get(node) ?? []).map(csiNodeDriver));
}

function csiNodeDriver({ name, nodeID, allocatable }: Wire<V1CSINodeDriver>): CsiNodeDriver {
  const count = allocatable?.count;
  return { driver: driverName(name), nodeId: nodeID, ...(count !== undefined && { allocatable: count }) };
}
