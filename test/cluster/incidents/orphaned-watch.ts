import { registrarContainer } from '../manifests/driver.ts';
import { onNode, registryOf, restartContainer, waitPluginReady, waitUnregistered } from './actions.ts';
import { defineIncident } from './define.ts';

/** Something is mounted over the registry after kubelet began to watch it: the watch stays on the hidden folder. */
export default defineIncident({
  id: 'orphaned-watch',
  title: 'another folder was mounted over plugins_registry after kubelet began to watch it',
  cause: async (scene) => {
    const { node } = scene;
    const cover = `${node.kubeletRoot}/cover`;
    await onNode(node, 'mkdir', '-p', cover);
    await onNode(node, 'mount', '--bind', cover, registryOf(node));
    await restartContainer(scene, registrarContainer);
    await waitUnregistered(scene);
  },
  /** kubelet and the registrar are to see the uncovered folder again: both start anew. */
  restore: async (scene) => {
    const { node, driver } = scene;
    await node.run(['umount', '-l', registryOf(node)]);
    await node.run(['rm', '-rf', `${node.kubeletRoot}/cover`]);
    await node.restartKubelet();
    await restartContainer(scene, registrarContainer);
    await waitPluginReady(scene);
    await driver.waitRegistered([node]);
  },
});
