import { registrarContainer } from '../manifests/driver.ts';
import { waitUntil } from '../wait.ts';
import { onNode, pluginPod, setExcluded, signalContainer, waitPluginReady } from './actions.ts';
import { defineIncident } from './define.ts';

/**
 * A registrar that is killed leaves its socket's file. No other one takes it away, since the node plugin leaves
 * the node; and a kubelet that starts then finds a socket where nobody listens.
 */
export default defineIncident({
  id: 'stale-socket',
  title: 'a registrar was killed and left its socket, and the driver has left the node',
  cause: async (scene) => {
    const { node, driver } = scene;
    await node.stopKubelet();
    try {
      await signalContainer(scene, registrarContainer, 'SIGKILL');
      await setExcluded(scene, true);
      // Kubelet must learn of the end of the pod no later than of the registrar's, or it starts that again.
      const ending = async () => (await pluginPod(scene)).metadata.deletionTimestamp !== undefined;
      await waitUntil('the node plugin to be deleted', ending);
    } finally {
      await node.continueKubelet();
    }
    const gone = async () => (await driver.podOn(node)) === undefined;
    await waitUntil('the node plugin to leave', gone, { timeoutMs: 90_000 });
    await node.restartKubelet();
  },
  restore: async (scene) => {
    const { node, driver } = scene;
    await onNode(node, 'rm', '-f', driver.registrySocket);
    await setExcluded(scene, false);
    await waitPluginReady(scene);
    // kubelet dialled the stale socket in vain, and waits up to two minutes before it tries that path again.
    await node.restartKubelet();
    await driver.waitRegistered([node]);
  },
});
