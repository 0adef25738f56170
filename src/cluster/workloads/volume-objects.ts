import type { V1PersistentVolume, V1PersistentVolumeClaim, V1StorageClass } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { VolumeObjects } from '../../workload/volumes.ts';
import type { Api } from '../api.ts';
import { listPath } from './list-path.ts';

/** The claims of a namespace (or of all), the PersistentVolumes, and the StorageClasses. @throws ApiError */
export async function readVolumeObjects(
  api: Api,
  signal: AbortSignal,
  namespace?: string,
): Promise<VolumeObjects> {
  const list = <T>(group: string, resource: string, within?: string) =>
    api.list<Wire<T>>(listPath(group, resource, within), {}, { signal });
  const [claims, volumes, classes] = await Promise.all([
    list<V1PersistentVolumeClaim>('/api/v1', 'persistentvolumeclaims', namespace),
    list<V1PersistentVolume>('/api/v1', 'persistentvolumes'),
    list<V1StorageClass>('/apis/storage.k8s.io/v1', 'storageclasses'),
  ]);
  return { claims, volumes, classes };
}
