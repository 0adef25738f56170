import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import type { ClusterNode } from '../node/node.ts';
import { ensureRegistered, onNode, registryOf, waitUnregistered } from './actions.ts';
import { defineIncident } from './define.ts';

/**
 * kubelet's queue of events is full when the registration socket appears. A second link to the socket stands
 * for a registrar that starts at that moment: it is put in place of the one that kubelet saw vanish.
 */
export default defineIncident({
  id: 'lost-event',
  title: "the registration socket appeared while kubelet's inotify queue was full",
  cause: async (scene) => {
    const { node, driver } = scene;
    const spare = `${driver.pluginFolder}/.reg.sock`;
    await onNode(node, 'ln', '-f', driver.registrySocket, spare);
    await onNode(node, 'rm', driver.registrySocket);
    await waitUnregistered(scene);
    await node.stopKubelet();
    try {
      overflow(node);
      await onNode(node, 'mv', spare, driver.registrySocket);
    } finally {
      await node.continueKubelet();
    }
  },
  restore: ensureRegistered,
});

/** Two events a round, so that the queue is full after half as many rounds as it has places. */
function overflow(node: ClusterNode): void {
  const places = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  const file = node.hostPath(`${registryOf(node)}/.flood`);
  for (let round = 0; round < places; round++) {
    closeSync(openSync(file, 'w'));
    unlinkSync(file);
  }
}
