import type { Scene } from './scene.ts';

interface Event {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly source?: { readonly component?: string };
}

/** The plugin's events on a pod, the oldest first. */
export async function podEvents({ shared, namespace }: Scene, pod: string): Promise<readonly Event[]> {
  const { items } = await shared.cluster.kubectlJson<{ items: Event[] }>([
    'get',
    'events',
    '-n',
    namespace,
    `--field-selector=involvedObject.kind=Pod,involvedObject.name=${pod}`,
    '--sort-by=.metadata.creationTimestamp',
  ]);
  return items.filter(({ source }) => source?.component === 'kubectl-csi');
}
