import { registrarContainer } from '../manifests/driver.ts';
import { onNode, registryOf, restartContainer, waitPluginReady, waitUnregistered } from './actions.ts';
import { defineIncident } from './define.ts';

/** The other drivers' sockets move along, as links: kubelet still holds those drivers, and they are to stay well. */
const replace = `
registry=$1 mine=$2
mkdir -m 750 "$registry.new"
for socket in "$registry"/*; do
  [ "$socket" = "$mine" ] || ln "$socket" "$registry.new/"
done
mv -T "$registry" "$registry.old"
mv -T "$registry.new" "$registry"`;

/** The watch goes with the old folder: kubelet sees what ends there, and nothing of what begins in the new one. */
export default defineIncident({
  id: 'replaced-directory',
  title: 'plugins_registry was moved away and made again while kubelet watched it',
  cause: async (scene) => {
    const { node, driver } = scene;
    await onNode(node, 'sh', '-ec', replace, 'sh', registryOf(node), driver.registrySocket);
    await restartContainer(scene, registrarContainer);
    await waitUnregistered(scene);
  },
  restore: async (scene) => {
    const { node, driver } = scene;
    await node.restartKubelet();
    await onNode(node, 'rm', '-rf', `${registryOf(node)}.old`);
    await waitPluginReady(scene);
    await driver.waitRegistered([node]);
  },
});
