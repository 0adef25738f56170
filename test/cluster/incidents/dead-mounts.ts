import { deletePlugin, waitPluginReady } from './actions.ts';
import { recreateApps } from './apps.ts';
import { defineIncident } from './define.ts';

/** The FUSE daemons of the node plugin end with its pod; the apps keep their dead mounts. */
export default defineIncident({
  id: 'dead-mounts',
  title: "the node plugin's pod was deleted under apps on FUSE volumes",
  cause: async (scene) => {
    await deletePlugin(scene);
    await waitPluginReady(scene);
    await scene.driver.waitRegistered([scene.node]);
  },
  restore: recreateApps,
});
