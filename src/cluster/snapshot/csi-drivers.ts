import type { V1CSIDriver } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { driverName } from '../../model/ids.ts';
import type { CsiDriver } from '../../model/snapshot.ts';
import type { Api, CallOptions } from '../api.ts';

/** The CSIDriver objects, with the API's defaults where a field is absent. */
export async function readCsiDrivers(api: Api, options: CallOptions): Promise<readonly CsiDriver[]> {
  const items = await api.list<Wire<V1CSIDriver>>('/apis/storage.k8s.io/v1/csidrivers', {}, options);
  return items.map(({ metadata, spec }) => ({
    name: driverName(metadata?.name ?? ''),
    attachRequired: spec.attachRequired ?? true,
    podInfoOnMount: spec.podInfoOnMount ?? false,
    requiresRepublish: spec.requiresRepublish ?? false,
    fsGroupPolicy: spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType',
    seLinuxMount: spec.seLinuxMount ?? false,
    createdAt: metadata?.creationTimestamp ?? '',
  }));
}
