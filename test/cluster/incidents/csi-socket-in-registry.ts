import { onNode, registryOf } from './actions.ts';
import { defineIncident, type Scene } from './define.ts';

const misplaced = ({ node, driver }: Scene) => `${registryOf(node)}/${driver.spec.name}.sock`;

/** As drivers do whose --endpoint points into the registry. kubelet asks it for a service that it does not have. */
export default defineIncident({
  id: 'csi-socket-in-registry',
  title: "the driver's own CSI socket lies in plugins_registry",
  cause: async (scene) => {
    await onNode(scene.node, 'ln', '-f', `${scene.driver.pluginFolder}/csi.sock`, misplaced(scene));
  },
  restore: async (scene) => {
    await onNode(scene.node, 'rm', '-f', misplaced(scene));
    await scene.driver.waitRegistered([scene.node]);
  },
});
