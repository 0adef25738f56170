import { deletePlugin, kubectl, waitPluginReady, waitUnregistered } from './actions.ts';
import { defineIncident, type Scene } from './define.ts';

const taint = 'dedicated=storage:NoSchedule';

const setTaint = (scene: Scene, change: string) =>
  kubectl(scene, 'taint', 'node', '--overwrite', scene.node.name, change);

/** A pod that runs survives the taint; once it is gone (a reboot, a drain) the DaemonSet makes no other. */
export default defineIncident({
  id: 'tainted-node',
  title: 'the node plugin is missing: the node has a taint that it does not tolerate',
  cause: async (scene) => {
    await setTaint(scene, taint);
    await deletePlugin(scene);
    await waitUnregistered(scene);
  },
  restore: async (scene) => {
    await scene.cluster.kubectl(['taint', 'node', scene.node.name, `${taint}-`]);
    await waitPluginReady(scene);
    await scene.driver.waitRegistered([scene.node]);
  },
});
