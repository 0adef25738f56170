import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { DebugImage } from './pod-spec.ts';

type Pod = Wire<V1Pod>;

/**
 * Images that are on the node already, the likeliest to work first: the node plugins' own, then kube-system's, then
 * others. Each stays in its pod's namespace and keeps its pull secrets, since kubelet 1.35 and later refuse an image
 * that was pulled with a Secret to a pod without it (KEP-2535).
 */
export function imagesOnNode(pods: readonly Pod[]): readonly DebugImage[] {
  const running = pods.filter((pod) => pod.status?.phase === 'Running' && !pod.metadata?.deletionTimestamp);
  const images = running
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((pod) => startedImages(pod).map((image) => debugImage(pod, image)));
  return distinctPlaces(images);
}

const isPlugin = (pod: Pod) =>
  (pod.spec?.volumes ?? []).some((volume) =>
    volume.hostPath?.path.replace(/\/+$/, '').endsWith('/plugins_registry'),
  );

function rank(pod: Pod): number {
  if (isPlugin(pod)) return 0;
  return pod.metadata?.namespace === 'kube-system' ? 1 : 2;
}

/** The image as the spec names it: that is the name under which the runtime knows it. */
function startedImages(pod: Pod): readonly string[] {
  const started = new Set(
    (pod.status?.containerStatuses ?? [])
      .filter((status) => status.state?.running)
      .map((status) => status.name),
  );
  return (pod.spec?.containers ?? []).flatMap(({ name, image }) =>
    started.has(name) && image ? [image] : [],
  );
}

const debugImage = (pod: Pod, image: string): DebugImage => ({
  image,
  namespace: pod.metadata?.namespace ?? 'default',
  pullSecrets: (pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : [])),
});

export function distinctPlaces(images: readonly DebugImage[]): readonly DebugImage[] {
  const byName = new Map<string, DebugImage>();
  for (const image of images) {
    const key = `${image.namespace} ${image.image}`;
    if (!byName.has(key)) byName.set(key, image);
  }
  return [...byName.values()];
}
