import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { V1Pod } from '@kubernetes/client-node';
import type { Api, ExecTarget } from '../../cluster/api.ts';
import { duplex } from '../../cluster/http/exec.ts';
import type { Wire } from '../../kubelet/wire.ts';
import type { HostPath } from '../../model/ids.ts';
import type { NodeSnapshot } from '../../model/snapshot.ts';
import { readAnswer } from '../../protocol/answers.ts';
import { type AgentRecord, agentArgs } from '../../protocol/protocol.gen.ts';
import { hasEnded, PodStartError, pathOfPod, removeQuietly, waitForAgent } from '../pod/debug-pod.ts';
import { type Access, agentContainer, agentPath, type DebugImage, podSpec } from '../pod/pod-spec.ts';
import type { Visit } from '../visit.ts';
import { Channels } from './channel.ts';
import type { Conversation } from './conversation.ts';
import { type FragileSession, lastingSession } from './lasting-session.ts';

/** An agent that waits on one node for commands. */
export interface NodeSession {
  readonly place: DebugImage;
  /** @throws AgentError when the agent refuses, Error when the answer does not arrive whole */
  run(args: readonly string[], signal: AbortSignal): Promise<readonly AgentRecord[]>;
  /** Starts a command that waits for a word once it has written `count` records of a kind. */
  converse(
    args: readonly string[],
    waits: { readonly kind: AgentRecord['kind']; readonly count: number },
    signal: AbortSignal,
  ): Promise<Conversation>;
  /** A byte stream to a unix socket, in the view of the process `at`. */
  tunnel(at: number, path: HostPath, signal: AbortSignal): Promise<Duplex>;
  /** @returns what could not be deleted, in words */
  close(): Promise<string | undefined>;
}

type Pod = Wire<V1Pod>;

/**
 * Puts a debug pod on the node, trying one place after the other.
 * @throws Error with every place that was tried and what became of it
 */
export async function openSession(
  visit: Visit,
  node: NodeSnapshot,
  access: Access,
  signal: AbortSignal,
): Promise<NodeSession> {
  const command = agentArgs.hold({ seconds: visit.run.deadline });
  const open = async (within: AbortSignal) => {
    const { pod, place } = await startPod(visit, node, access, command, 'started', within);
    return sessionOf(visit.api, pod, place);
  };
  return lastingSession(await open(signal), open);
}

/** For those who may not exec: one question as the pod's own command, the answer on its log. */
export async function askOnce(
  visit: Visit,
  node: NodeSnapshot,
  args: readonly string[],
  signal: AbortSignal,
): Promise<readonly AgentRecord[]> {
  const { pod } = await startPod(visit, node, 'read', args, 'ended', signal);
  const path = pathOfPod(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '');
  try {
    return readAnswer(await visit.api.text(`${path}/log`, { container: agentContainer }, { signal }));
  } finally {
    await removeQuietly(visit.api, path);
  }
}

async function startPod(
  visit: Visit,
  node: NodeSnapshot,
  access: Access,
  command: readonly string[],
  until: 'started' | 'ended',
  signal: AbortSignal,
): Promise<{ pod: Pod; place: DebugImage }> {
  const tried: string[] = [];
  for (const place of await visit.places(node.name, signal)) {
    const refusal = await visit.admission(access).refusal(place, node.name);
    if (refusal) {
      if (!tried.includes(refusal)) tried.push(refusal);
      continue;
    }
    try {
      return { place, pod: await startIn(visit, node, place, access, command, until, signal) };
    } catch (error) {
      if (!(error instanceof PodStartError)) throw error;
      tried.push(`${place.image} in ${place.namespace}: ${error.message}`);
    }
  }
  throw new Error(
    tried.length > 0
      ? tried.join('; ')
      : `no pod runs on ${node.name} whose image could be used; name one with --image`,
  );
}

async function startIn(
  { api, run, carriers }: Visit,
  node: NodeSnapshot,
  place: DebugImage,
  access: Access,
  command: readonly string[],
  until: 'started' | 'ended',
  signal: AbortSignal,
): Promise<Pod> {
  const carrier = await carriers.in(place.namespace, node.arch);
  const name = `kubectl-csi-${randomBytes(6).toString('hex')}`;
  const spec = podSpec({
    name,
    configMap: carrier.name,
    node: node.name,
    image: place,
    access,
    run,
    command,
  });
  signal.throwIfAborted();
  try {
    await carrier.verify();
    // Not with the signal: a request that is cut off may still be carried out, after the deletion below.
    const { object } = await api.create<Pod>(`/api/v1/namespaces/${place.namespace}/pods`, spec);
    signal.throwIfAborted();
    const pod = await waitForAgent(api, object, until, signal);
    await carrier.verify();
    return pod;
  } catch (error) {
    await removeQuietly(api, pathOfPod(place.namespace, name));
    throw error;
  }
}

function sessionOf(api: Api, pod: Pod, place: DebugImage): FragileSession {
  const namespace = pod.metadata?.namespace ?? '';
  const name = pod.metadata?.name ?? '';
  const target: ExecTarget = { namespace, pod: name, container: agentContainer };
  const serve = [agentPath, ...agentArgs.serve()];
  const channels = new Channels((signal) => api.exec(target, serve, { stdin: true, signal }));
  return {
    place,
    run: (args, signal) => channels.ask(args, signal),
    converse: (args, waits, signal) => channels.converse(args, waits, signal),
    tunnel: async (at, path, signal) => {
      const command = [agentPath, ...agentArgs.tunnel({ at, path })];
      return duplex(await api.exec(target, command, { stdin: true, signal }));
    },
    isGone: async (signal) => hasEnded(api, pathOfPod(namespace, name), signal),
    close: () => {
      channels.close();
      return removeQuietly(api, pathOfPod(namespace, name));
    },
  };
}
