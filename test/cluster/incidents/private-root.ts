import { waitUntil } from '../wait.ts';
import { deletePlugin, kubectl, onNode, pluginPod, waitPluginReady } from './actions.ts';
import { defineIncident, type Scene } from './define.ts';

async function setPropagation({ node }: Scene, propagation: 'private' | 'shared'): Promise<void> {
  const mount = await onNode(node, 'findmnt', '-n', '-o', 'TARGET', '-T', node.kubeletRoot);
  await onNode(node, 'mount', `--make-${propagation}`, mount.trim());
}

/** The runtime refuses a container with Bidirectional mounts then; so the node plugin does not come back. */
export default defineIncident({
  id: 'private-root',
  title: "the file system of kubelet's root is not a shared mount",
  cause: async (scene) => {
    await setPropagation(scene, 'private');
    await deletePlugin(scene);
    const refused = async () => {
      const { metadata } = await pluginPod(scene);
      const selector = `--field-selector=involvedObject.uid=${metadata.uid}`;
      const events = await kubectl(
        scene,
        'get',
        'events',
        '-n',
        scene.driver.spec.namespace,
        selector,
        '-o',
        'yaml',
      );
      return events.includes('is not a shared');
    };
    await waitUntil('the runtime to refuse the node plugin', refused, { timeoutMs: 90_000, intervalMs: 500 });
  },
  restore: async (scene) => {
    await setPropagation(scene, 'shared');
    await deletePlugin(scene);
    await waitPluginReady(scene);
    await scene.driver.waitRegistered([scene.node]);
  },
});
