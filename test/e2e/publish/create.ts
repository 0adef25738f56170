import type { Api } from '../../../src/cluster/api.ts';
import { mapConcurrent } from '../../../src/model/concurrent.ts';
import { waitFor } from '../../cluster/index.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Creates objects, many at a time: kubectl takes a minute for what this does in seconds. */
export async function createAll(api: Api, objects: readonly object[]): Promise<void> {
  await mapConcurrent(objects as readonly KubernetesObject[], 20, (object) => create(api, object));
}

/** Tries again for a while: a new namespace has no service account yet, which pods need. */
function create(api: Api, object: KubernetesObject): Promise<void> {
  return waitFor(`${object.kind} ${object.metadata.name} to be created`, async () => {
    await api.create(collection(object), object);
    return { done: undefined };
  });
}

function collection({ apiVersion, kind, metadata: { namespace } }: KubernetesObject): string {
  const version = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`;
  return namespace ? `${version}/namespaces/${namespace}/${plural}` : `${version}/${plural}`;
}
