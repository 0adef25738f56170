import { answeringSockets } from '../diagnose/registration.ts';
import type { DriverView, NodeView } from '../diagnose/view.ts';
import { first, only } from '../protocol/answers.ts';
import { agentArgs } from '../protocol/protocol.gen.ts';
import type { NodePort } from './ports.ts';

/** Names that processes of a registrar go by; the kernel keeps 15 bytes of them. */
const registrarCommands = ['csi-node-driver-registrar', 'node-driver-registrar', 'csi-registrar'];

/** Milliseconds for a registrar to take its socket away and end. */
const endLimitMs = 10_000;

/** Why the registrar of a driver cannot be ended alone; undefined where it can. */
export function sharedRegistrar({ driver, pod }: DriverView): string | undefined {
  if (!pod) return `no node plugin pod of ${driver} was found`;
  if (!pod.registrar) return `the pod of ${driver} has no container of its own for the registrar`;
  return pod.otherContainers.length === 0
    ? `registrar and driver of ${driver} share one container: its volumes would die with it`
    : undefined;
}

/**
 * Ends the registrar's process only; kubelet starts its container again, which then makes its socket anew. One that is
 * stopped or hangs takes no TERM (signal(7)) and is killed.
 */
export async function endRegistrar(driver: DriverView, node: NodePort): Promise<void> {
  const process = { ...(await registrarOf(driver, node)), wait: endLimitMs };
  const asked = await node.agent(agentArgs.endProcess({ ...process, signal: 'TERM' }));
  if (!first(asked, 'signalled').ended)
    await node.agent(agentArgs.endProcess({ ...process, signal: 'KILL' }));
}

interface Process {
  readonly pid: number;
  readonly startTicks: string;
}

/** The listener of a socket, if it lives in the registrar's container; else the container's process by its cgroup. */
async function registrarOf(driver: DriverView, node: NodePort): Promise<Process> {
  const containerId = registrarContainer(driver);
  const listener = driver.sockets
    .flatMap(({ socket }) => (socket?.connect.state === 'accepted' ? (socket.connect.listener ?? []) : []))
    .find((each) => each.containerId === containerId);
  if (listener) return { pid: listener.pid, startTicks: listener.startTicks };
  const records = await node.agent(agentArgs.observe({ names: registrarCommands }));
  const inContainer = (line: string) => line.includes(containerId);
  const found = only(records, 'process').find(({ cgroup }) => cgroup.some(inContainer));
  if (!found) throw new Error(`no process of the registrar's container ${containerId} was found`);
  return { pid: found.pid, startTicks: found.startTicks };
}

function registrarContainer({ pod }: DriverView): string {
  const container = pod?.containers.find(({ name }) => name === pod.registrar?.container);
  if (!container || container.containerId === '') throw new Error('the registrar has no running container');
  return container.containerId;
}

/** Drivers whose registrar answers on the node now. */
export const servedDrivers = ({ drivers }: NodeView) =>
  drivers.filter((driver) => answeringSockets(driver).length > 0);
