import { isIgnoredName, join, knownRoots } from '../../kubelet/paths.ts';
import { watcherTexts } from '../../kubelet/watcher-log.ts';
import { mapConcurrent } from '../../model/concurrent.ts';
import { errorText } from '../../model/error-text.ts';
import type { NodeEvidence, RegistryEntry, SelfTest, SocketAnswer } from '../../model/evidence.ts';
import type { HostPath } from '../../model/ids.ts';
import { type Observed, seen, unseen } from '../../model/observed.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { askDriver, askRegistration, callFailure, isUnimplemented } from '../csi/questions.ts';
import type { NodeSession } from '../session/session.ts';
import { type SocketAnswers, withAnswers } from './entries.ts';
import { evidenceOf } from './evidence.ts';
import { mountEvidenceOf, silentDevices } from './mount-evidence.ts';
import { watcherLogOf } from './watcher-log.ts';

export const observeCommand = agentArgs.observe({ root: knownRoots });

/** Sockets of one node that are asked at the same time. */
const socketsAtOnce = 4;

/** Everything about one node: what the agent sees, and what the sockets in the registry answer. */
export async function observe(session: NodeSession, signal: AbortSignal): Promise<NodeEvidence> {
  const records = await session.run(observeCommand, signal);
  const evidence = evidenceOf(records, new Date().toISOString());
  const [sockets, mounts, watcherLog] = await Promise.all([
    askSockets(session, evidence, signal),
    askMounts(session, evidence, signal),
    askLog(session, evidence, signal),
  ]);
  return { ...withAnswers(evidence, sockets), mounts, watcherLog };
}

const askLog = (session: NodeSession, evidence: NodeEvidence, signal: AbortSignal) =>
  readKubeletLog(session, evidence, watcherTexts, signal);

/** The last lines of the running kubelet's log that hold one of these texts. */
export async function readKubeletLog(
  session: NodeSession,
  { kubelet }: NodeEvidence,
  match: readonly string[],
  signal: AbortSignal,
): Promise<NodeEvidence['watcherLog']> {
  if (!kubelet.seen) return kubelet;
  const { pid, startTicks } = kubelet.value;
  try {
    return watcherLogOf(await session.run(agentArgs.kubeletLog({ pid, startTicks, match }), signal));
  } catch (error) {
    signal.throwIfAborted();
    return unseen(errorText(error));
  }
}

/** The mounts of this moment only; who holds what is dead, and what journals tell, is taken over from an earlier look. */
export async function observeMounts(
  session: NodeSession,
  { kubelet, root, mounts }: NodeEvidence,
  signal: AbortSignal,
): Promise<NodeEvidence['mounts']> {
  if (!kubelet.seen || !root.seen || !mounts.seen) return unseen('mounts were not seen before');
  const { pid, startTicks } = kubelet.value;
  const args = agentArgs.mounts({ at: pid, startTicks, root: root.value.path });
  const { holders, guards = [] } = mounts.value;
  const now = mountEvidenceOf(await session.run(args, signal), []);
  return now.seen ? seen({ ...now.value, holders, guards }) : now;
}

/** Every mount of every namespace, and who holds something of those that do not answer. */
async function askMounts(
  session: NodeSession,
  { kubelet, root }: NodeEvidence,
  signal: AbortSignal,
): Promise<NodeEvidence['mounts']> {
  if (!kubelet.seen) return kubelet;
  if (!root.seen) return root;
  const { pid, startTicks } = kubelet.value;
  try {
    const [records, journals] = await Promise.all([
      session.run(agentArgs.mounts({ at: pid, startTicks, root: root.value.path }), signal),
      session.run(agentArgs.journalRead({}), signal),
    ]);
    const device = silentDevices(records);
    const holders = device.length > 0 ? await session.run(agentArgs.holders({ device }), signal) : [];
    return mountEvidenceOf(records, holders, journals);
  } catch (error) {
    signal.throwIfAborted();
    return unseen(errorText(error));
  }
}

async function askSockets(
  session: NodeSession,
  { kubelet, registry, entries }: NodeEvidence,
  signal: AbortSignal,
): Promise<SocketAnswers> {
  if (!kubelet.seen || !registry.seen || !entries.seen) return new Map();
  const at = kubelet.value.pid;
  const asked = entries.value.filter(
    ({ name, socket }) => !isIgnoredName(name) && socket?.connect.state === 'accepted',
  );
  const answers = await mapConcurrent(asked, socketsAtOnce, (entry) =>
    askSocket(session, at, registry.value.path, entry, signal),
  );
  return new Map(answers);
}

type Answers = Omit<SocketAnswer, 'connect'>;

async function askSocket(
  session: NodeSession,
  at: number,
  registry: HostPath,
  { name }: RegistryEntry,
  signal: AbortSignal,
): Promise<readonly [string, Answers]> {
  const path = join(registry, name);
  const open = (socket: HostPath) => session.tunnel(at, socket, signal);
  try {
    const registration = await askTwice(async () => askRegistration(await open(path), signal));
    const endpoint = registration.endpoint === '' ? path : registration.endpoint;
    const driver = await attempt(() => askTwice(async () => askDriver(await open(endpoint), signal)));
    return [name, { asked: true, registration: seen(registration), driver, speaksCsi: false }];
  } catch (error) {
    const registration = unseen(`Registration/GetInfo: ${callFailure(error)}`);
    if (!isUnimplemented(error))
      return [name, { asked: true, registration, driver: registration, speaksCsi: false }];
    const driver = await attempt(async () => askDriver(await open(path), signal));
    return [name, { asked: true, registration, driver, speaksCsi: driver.seen }];
  }
}

/** A socket on a busy node may miss one deadline; that alone is no reason to call it mute. */
async function askTwice<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (isUnimplemented(error)) throw error;
    return question();
  }
}

async function attempt<T>(question: () => Promise<T>): Promise<Observed<T>> {
  try {
    return seen(await question());
  } catch (error) {
    return unseen(callFailure(error));
  }
}

/** Rounds of the self-test: each puts a few events into the queue that kubelet reads as well. */
const selfTestRounds = 8;

/** Whether the registry delivers its own events. Writes a dot-file there for a moment. */
export async function selfTest(
  session: NodeSession,
  { kubelet, root }: NodeEvidence,
  signal: AbortSignal,
): Promise<Observed<SelfTest>> {
  if (!kubelet.seen) return kubelet;
  if (!root.seen) return root;
  const { pid, startTicks } = kubelet.value;
  const args = agentArgs.listen({ at: pid, startTicks, root: root.value.path, rounds: selfTestRounds });
  return attempt(async () => {
    const { sent, delivered } = first(await session.run(args, signal), 'delivery');
    return { sent, delivered };
  });
}
