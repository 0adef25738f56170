import type { DriverView, NodeView } from '../../diagnose/view.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { only } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import { driverView, socketOf, unseenPlace, verifyRegistered } from '../registration.ts';

/** Milliseconds; kubelet starts the container again at once, the first time. */
const limitMs = 30_000;

/** Names that processes of a registrar go by; the kernel keeps 15 bytes of them. */
const registrarCommands = [
  'csi-node-driver-registrar',
  'node-driver-registrar',
  'csi-registrar',
  'livenessprobe',
];

/** A registrar that starts makes its socket anew, which kubelet sees. The driver's own container is not touched. */
export default defineRepair({
  id: 'restart-registrar',
  title: "Restart the registrar's container",
  rank: 30,
  risk: 'disruptive',
  cures: [
    {
      rule: 'registration-lost',
      reasons: ['no-socket', 'queue-overflow', 'registration-failed', 'events-not-delivered', 'unknown'],
    },
  ],
  describe: (unit, node) =>
    `end the process of the registrar of ${driverView(unit, node)?.driver}, so that kubelet starts its container again`,
  bars(unit, node) {
    const pod = driverView(unit, node)?.pod;
    if (!pod) return 'no node plugin pod of the driver was found';
    if (!pod.registrar) return 'the pod has no container of its own for the registrar';
    if (pod.otherContainers.length === 0)
      return 'registrar and driver share one container: its volumes would die with it';
    return unseenPlace(node);
  },
  async act(work) {
    const process = await registrarOf(work);
    await work.node.agent(agentArgs.endProcess({ ...process, signal: 'TERM', wait: 10_000 }));
  },
  verify: (work) => verifyRegistered(work, limitMs),
  undo: { nothing: 'kubelet starts the container again' },
});

async function registrarOf({ unit, view, node }: Work): Promise<{ pid: number; startTicks: string }> {
  const containerId = containerOf(unit, view);
  const connect = socketOf(unit, view)?.socket?.connect;
  if (connect?.state === 'accepted' && connect.listener && connect.listener.containerId === containerId)
    return { pid: connect.listener.pid, startTicks: connect.listener.startTicks };
  const records = await node.agent(agentArgs.observe({ names: registrarCommands }));
  const process = only(records, 'process').find(({ cgroup }) =>
    cgroup.some((line) => line.includes(containerId)),
  );
  if (!process) throw new Error(`no process of the registrar's container ${containerId} was found`);
  return { pid: process.pid, startTicks: process.startTicks };
}

function containerOf(unit: Unit, view: NodeView): string {
  const pod: DriverView['pod'] = driverView(unit, view)?.pod;
  const container = pod?.containers.find(({ name }) => name === pod.registrar?.container);
  if (!container || container.containerId === '') throw new Error('the registrar has no running container');
  return container.containerId;
}
