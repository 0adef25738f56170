import { registrarContainer } from '../manifests/driver.ts';
import { onNode, registryOf, restartContainer, waitPluginReady, waitUnregistered } from './actions.ts';
import { defineIncident } from './define.ts';

/** The other drivers' sockets move along, as links: kubelet still holds those drivers, and they are to stay well. */
const replace = `
registry=$1
mkdir -m 750 "$registry.new"
for socket in "$registry"/*; do
  [ ! -S "$socket" ] || ln "$socket" "$registry.new/"
done
mv -T "$registry" "$registry.old"
mv -T "$registry.new" "$registry"`;

/** A kubelet makes the folder itself when it starts; one that is young would be taken for its maker. */
const waitOld = 'while [ "$(ps -o etimes= -C kubelet | sort -n | head -n 1)" -le 11 ]; do sleep 1; done';

/** fsnotify ends its watch on a folder that is moved: the registrar that starts anew makes its socket unseen. */
export default defineIncident({
  id: 'replaced-directory',
  title: 'plugins_registry was moved away and made again while kubelet watched it',
  cause: async (scene) => {
    const { node, driver } = scene;
    await onNode(node, 'sh', '-ec', waitOld);
    await onNode(node, 'rm', driver.registrySocket);
    await waitUnregistered(scene);
    await onNode(node, 'sh', '-ec', replace, 'sh', registryOf(node));
    await restartContainer(scene, registrarContainer);
  },
  restore: async (scene) => {
    const { node, driver } = scene;
    await node.restartKubelet();
    await onNode(node, 'rm', '-rf', `${registryOf(node)}.old`);
    await waitPluginReady(scene);
    await driver.waitRegistered([node]);
  },
});
