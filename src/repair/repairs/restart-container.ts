import { containerNames } from '../../diagnose/mounts.ts';
import type { ContainerMountView, NodeView, VolumeView } from '../../diagnose/view.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { AgentError, first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import type { NodePort } from '../ports.ts';
import { restartFaults } from '../remount/faults.ts';
import { publishAgain } from '../remount/publish-again.ts';
import { type Prepared, prepare } from '../remount/requests.ts';
import { settleRemount } from '../remount/settle.ts';
import { notAsOnNode, remountBar, toPublish, volumesOf, volumesOfPods } from '../remount/units.ts';
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
    for (const prepared of await prepareAll(work)) await publishAgain(work, prepared);
    const view = await work.node.observeVolumes();
    for (const [container, grace] of containersToEnd(volumesOf(work.unit, view)))
      await endContainer(work, container, grace);
  },
  verify: (work) => {
    const expected = wrongContainers(work.unit, work.view).map(({ container }) => container);
    return untilWell(() => restartFault(work, expected), limitMs, work.signal, 1_000);
  },
  settle: settleRemount,
  undo: { nothing: 'kubelet starts the containers again' },
});

/** Of all volumes of the pods, before one of them is touched. */
async function prepareAll(work: Work): Promise<readonly Prepared[]> {
  const dead = volumesOfPods(work.unit, work.view).map(toPublish);
  return Promise.all(dead.filter((volumes) => volumes.length > 0).map((volumes) => prepare(work, volumes)));
}

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

/** Each once, whichever of its volumes are dead. */
const containersToEnd = (volumes: readonly VolumeView[]) =>
  new Map(
    volumes
      .flatMap((volume) => notAsOnNode(volume).map((container) => [container, graceOf(volume)] as const))
      .map((each) => [each[0].namespace?.inode, each] as const),
  ).values();

/** Milliseconds that the pod gives its containers to end by themselves. A preStop hook is kubelet's to run, and is not run. */
const graceOf = ({ use }: VolumeView) => (use?.gracePeriodSeconds ?? defaultGraceSeconds) * 1_000;

/** Of a pod that names none. */
const defaultGraceSeconds = 30;

async function endContainer({ node }: Work, { namespace }: ContainerMountView, grace: number): Promise<void> {
  if (!namespace) return;
  const { pid, startTicks } = namespace;
  if (await isEnded(node, { pid, startTicks, signal: 'TERM', wait: grace })) return;
  if (await isEnded(node, { pid, startTicks, signal: 'KILL', wait: killedMs })) return;
  throw new Error(`process ${pid} cannot be ended`);
}

/** A process that is gone by then has ended as well. */
async function isEnded(node: NodePort, args: Parameters<typeof agentArgs.endProcess>[0]): Promise<boolean> {
  try {
    return first(await node.agent(agentArgs.endProcess(args)), 'signalled').ended;
  } catch (error) {
    if (error instanceof AgentError && error.code === 'no-process') return true;
    throw error;
  }
}

/** A container that has not come back yet is no success, even though nothing in it is dead. */
async function restartFault(work: Work, expected: readonly string[]): Promise<string | undefined> {
  const fault = await verifyRemounted(work);
  if (fault) return fault;
  const view = await work.node.observeVolumes();
  const back = volumesOf(work.unit, view).flatMap(({ containers }) => containers);
  const missing = expected.find(
    (name) => !back.some(({ container, state }) => container === name && state === 'same'),
  );
  return missing ? `container ${missing} has not started again yet` : undefined;
}
