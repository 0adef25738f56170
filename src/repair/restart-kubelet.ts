import { answeringSockets } from '../diagnose/registration.ts';
import type { DriverView, NodeView } from '../diagnose/view.ts';
import { supervisionOf } from '../kubelet/supervision.ts';
import { errorText } from '../model/error-text.ts';
import type { KubeletProcess } from '../model/evidence.ts';
import { AgentError } from '../protocol/answers.ts';
import { agentArgs } from '../protocol/protocol.gen.ts';
import type { NodePort } from './ports.ts';
import { placeOf } from './registration.ts';
import { untilWell } from './wait.ts';

/** Why kubelet must not be restarted here; undefined where it may. */
export function kubeletBar(node: NodeView, force: boolean): string | undefined {
  const supervision = supervisionOf(placeOf(node).kubelet);
  if (supervision.kind === 'embedded' && !force)
    return `kubelet is part of ${supervision.distribution} here: a restart takes what else it runs along; --force does it`;
  if (supervision.kind === 'none')
    return `nothing is known to start kubelet again after it ended: ${supervision.why}`;
  return undefined;
}

/**
 * A starting kubelet registers what it finds in the registry, and nothing else: a driver that it holds, and whose socket
 * is hidden below a mount or gone, would be lost.
 */
export function lossBar({ drivers }: NodeView, force: boolean): string | undefined {
  if (force) return undefined;
  const lost = drivers.filter((driver) => isHeld(driver) && answeringSockets(driver).length === 0);
  if (lost.length === 0) return undefined;
  const names = lost.map(({ driver }) => driver).join(', ');
  return `a restart would lose ${names}, which kubelet holds and no socket in the registry answers for; --force does it`;
}

/** By kubelet's own word, or by CSINode's where kubelet's could not be had. */
const isHeld = ({ held, listed }: DriverView) =>
  held.seen ? held.value : listed.seen && listed.value !== undefined;

/** Milliseconds until a new kubelet must run and answer through the API server again. */
const limitMs = 90_000;

/**
 * Restarts kubelet and waits until the node can be asked again. Exec streams pass through kubelet, so the answer to
 * the command itself may never arrive: what counts is that another kubelet process runs.
 * @throws Error when the agent refuses, or no new kubelet runs in time
 */
export async function restartKubelet(
  kubelet: KubeletProcess,
  node: NodePort,
  signal: AbortSignal,
): Promise<void> {
  const supervision = supervisionOf(kubelet);
  const unit = supervision.kind === 'unit' ? { unit: supervision.unit } : {};
  const { pid, startTicks } = kubelet;
  try {
    await node.agent(agentArgs.restartKubelet({ pid, startTicks, run: node.run, ...unit }));
  } catch (error) {
    if (error instanceof AgentError) throw error;
  }
  const fault = await untilWell(() => restartFault(kubelet, node), limitMs, signal, 500);
  if (fault) throw new Error(fault);
}

async function restartFault(before: KubeletProcess, node: NodePort): Promise<string | undefined> {
  try {
    const { evidence } = await node.observe();
    if (!evidence.seen) return evidence.why;
    if (!evidence.value.kubelet.seen) return evidence.value.kubelet.why;
    return evidence.value.kubelet.value.startTicks === before.startTicks
      ? 'the old kubelet still runs'
      : undefined;
  } catch (error) {
    return errorText(error);
  }
}
