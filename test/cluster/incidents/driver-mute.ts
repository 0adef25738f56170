import { onNode } from './actions.ts';
import { defineIncident } from './define.ts';

export default defineIncident({
  id: 'driver-mute',
  title: 'the registration socket answers, csi.sock accepts connections and never answers',
  cause: async ({ node, driver }) => {
    await onNode(node, 'mkdir', '-p', `${driver.pluginFolder}/control`);
    await onNode(node, 'touch', `${driver.pluginFolder}/control/mute`);
  },
  restore: async ({ node, driver }) => {
    await onNode(node, 'rm', '-f', `${driver.pluginFolder}/control/mute`);
    await driver.waitRegistered([node]);
  },
});
