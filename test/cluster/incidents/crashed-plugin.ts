import { driverContainer } from '../manifests/driver.ts';
import { waitUntil } from '../wait.ts';
import { containerStatus, onNode, signalContainer, waitPluginReady } from './actions.ts';
import { defineIncident } from './define.ts';

/** The driver finds a folder where it wants to put its socket, and ends; kubelet starts it again and again. */
export default defineIncident({
  id: 'crashed-plugin',
  title: "the driver's container ends again and again",
  cause: async (scene) => {
    const { node, driver } = scene;
    const socket = `${driver.pluginFolder}/csi.sock`;
    await onNode(node, 'rm', '-f', socket);
    await onNode(node, 'mkdir', '-p', `${socket}/not-a-socket`);
    const ends = async () => (await containerStatus(scene, driverContainer))?.restartCount ?? 0;
    const before = await ends();
    await signalContainer(scene, driverContainer, 'SIGKILL');
    // Not until CrashLoopBackOff: kubelet forgets a crash that is older than twice its longest back-off, 10 s here, and
    // on a busy machine the next one comes later (k8s.io/client-go/util/flowcontrol, hasExpired).
    await waitUntil('the container to end by itself', async () => (await ends()) >= before + 2, {
      timeoutMs: 120_000,
      describe: async () => `it was started again ${(await ends()) - before} times`,
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
