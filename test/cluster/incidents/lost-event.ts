import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import type { ClusterNode } from '../node/node.ts';
import { ensureRegistered, registryOf, replaceSocket } from './actions.ts';
import { defineIncident } from './define.ts';

/** kubelet's queue of events is full when the registration socket appears. */
export default defineIncident({
  id: 'lost-event',
  title: "the registration socket appeared while kubelet's inotify queue was full",
  cause: async (scene) => {
    const { node } = scene;
    const fillQueue = async () => {
      await node.stopKubelet();
      overflow(node);
    };
    await replaceSocket(scene, fillQueue).finally(() => node.continueKubelet());
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
