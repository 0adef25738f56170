import { driverContainer } from '../manifests/driver.ts';
import { waitUntil } from '../wait.ts';
import { containerStatus, onNode, signalContainer, waitPluginReady } from './actions.ts';
import { defineIncident } from './define.ts';

/** The driver finds a folder where it wants to put its socket, and ends; kubelet starts it again and again. */
export default defineIncident({
  id: 'crashed-plugin',
  title: "the driver's container is in CrashLoopBackOff",
  cause: async (scene) => {
    const { node, driver } = scene;
    const socket = `${driver.pluginFolder}/csi.sock`;
    await onNode(node, 'rm', '-f', socket);
    await onNode(node, 'mkdir', '-p', `${socket}/not-a-socket`);
    await signalContainer(scene, driverContainer, 'SIGKILL');
    const reason = async () => (await containerStatus(scene, driverContainer))?.state.waiting?.reason;
    await waitUntil('CrashLoopBackOff', async () => (await reason()) === 'CrashLoopBackOff', {
      timeoutMs: 90_000,
      describe: async () => `the container waits for ${await reason()}`,
    });
  },
  restore: async (scene) => {
    const { node, driver } = scene;
    const socket = `${driver.pluginFolder}/csi.sock`;
    // Neither does anything where a repair has been.
    await node.run(['rmdir', `${socket}/not-a-socket`]);
    await node.run(['rmdir', socket]);
    await waitPluginReady(scene);
    await driver.waitRegistered([node]);
  },
});
