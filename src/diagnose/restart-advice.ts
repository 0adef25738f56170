import { countOf } from '../model/count.ts';
import type { PluginPod } from '../model/snapshot.ts';
import type { NodeView } from './view.ts';

/** FUSE volumes of a driver that answer on the node: their daemons mostly live in the node plugin and end with it. */
export function livingFuseVolumes({ volumes }: NodeView, driver: string): number {
  if (!volumes.seen) return 0;
  const living = volumes.value.filter(
    ({ driver: own, layers }) =>
      own === driver && layers.at(-1)?.state === 'alive' && layers.at(-1)?.fsType.startsWith('fuse'),
  );
  return new Set(living.map(({ handle }) => handle)).size;
}

/** How to restart a node plugin, and what that costs on this node. */
export function restartAdvice(node: NodeView, driver: string, { key }: PluginPod): string {
  const living = livingFuseVolumes(node, driver);
  const command = `kubectl csi restart ${driver} --node ${node.node.name}`;
  const pod = `kubectl -n ${key.namespace} delete pod ${key.name}`;
  if (!node.volumes.seen) return `${command} (${pod} kills every living FUSE mount of it on the node)`;
  return living === 0
    ? `${command}, or ${pod}: no living FUSE mount of it is on the node`
    : `${command} (${pod} kills ${countOf(living, 'living FUSE volume')} of it on the node)`;
}
