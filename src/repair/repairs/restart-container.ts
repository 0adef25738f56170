import { containerNames } from '../../diagnose/mounts.ts';
import type { ContainerMountView, NodeView, VolumeView } from '../../diagnose/view.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import { restartFaults } from '../remount/faults.ts';
import { publishAgain } from '../remount/publish-again.ts';
import { notAsOnNode, remountBar, volumesOf, volumesOfPods } from '../remount/units.ts';
import { verifyRemounted } from '../remount/verify.ts';
import { untilWell } from '../wait.ts';

/** Milliseconds for a killed process to be gone. */
const killedMs = 10_000;
/** Milliseconds for kubelet to start the containers again, its back-off included. */
const limitMs = 120_000;

/** A container that starts binds what is on the node, so the node comes first; then its main process is ended. */
export default defineRepair({
  id: 'restart-container',
  title: 'Publish the volume again and restart the containers on it',
  rank: 110,
  risk: 'disruptive',
  cures: restartFaults,
  describe: (unit, node) =>
    `publish it again where it is dead on the node; end the main process of container ${containerNames(wrongContainers(unit, node))}, so that kubelet starts it again`,
  bars: (unit, node) => remountBar(unit, node) ?? restartBar(volumesOf(unit, node)),
  async act(work) {
    for (const volumes of volumesOfPods(work.unit, work.view)) await publishAgain(work, volumes);
    const view = await work.node.observe();
    for (const volume of volumesOf(work.unit, view))
      for (const container of notAsOnNode(volume)) await endContainer(work, container, graceOf(volume));
  },
  verify: ({ unit, view, node, signal }) => {
    const expected = wrongContainers(unit, view).map(({ container }) => container);
    return untilWell(() => restartFault({ unit, view, node, signal }, expected), limitMs, signal, 1_000);
  },
  undo: { nothing: 'kubelet starts the containers again' },
});

const wrongContainers = (unit: Unit, node: NodeView) =>
  volumesOf(unit, node).flatMap((volume) => notAsOnNode(volume));

function restartBar(volumes: readonly VolumeView[]): string | undefined {
  for (const volume of volumes) {
    const wrong = notAsOnNode(volume);
    if (wrong.length === 0) continue;
    if (volume.use && volume.use.restartPolicy !== 'Always')
      return `pod ${volume.use.pod.name} has restartPolicy ${volume.use.restartPolicy}: kubelet might not start its containers again`;
    if (wrong.some(({ role }) => role === 'ephemeral'))
      return 'an ephemeral container is never started again';
  }
  return undefined;
}

/** Milliseconds that the pod gives its containers to end by themselves. A preStop hook is kubelet's to run, and is not run. */
const graceOf = ({ use }: VolumeView) => (use?.gracePeriodSeconds ?? defaultGraceSeconds) * 1_000;

/** Of a pod that names none. */
const defaultGraceSeconds = 30;

async function endContainer({ node }: Work, { namespace }: ContainerMountView, grace: number): Promise<void> {
  if (!namespace) return;
  const { pid, startTicks } = namespace;
  const asked = await node.agent(agentArgs.endProcess({ pid, startTicks, signal: 'TERM', wait: grace }));
  if (!first(asked, 'signalled').ended)
    await node.agent(agentArgs.endProcess({ pid, startTicks, signal: 'KILL', wait: killedMs }));
}

/** A container that has not come back yet is no success, even though nothing in it is dead. */
async function restartFault(work: Work, expected: readonly string[]): Promise<string | undefined> {
  const fault = await verifyRemounted(work);
  if (fault) return fault;
  const view = await work.node.observe();
  const back = volumesOf(work.unit, view).flatMap(({ containers }) => containers);
  const missing = expected.find(
    (name) => !back.some(({ container, state }) => container === name && state === 'same'),
  );
  return missing ? `container ${missing} has not started again yet` : undefined;
}
