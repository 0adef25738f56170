import type { V1Pod } from '@kubernetes/client-node';
import { replacesAnnotation } from '../../kubelet/handover.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { errorText } from '../../model/error-text.ts';
import { type HostPath, keyText, type ObjectKey } from '../../model/ids.ts';
import type { SecondPlugin } from '../../model/second-plugin.ts';
import { secondKey, secondPod, secondSocket } from '../../workload/second-pod.ts';
import type { Work } from '../define-repair.ts';
import { placeOf } from '../registration.ts';
import { untilWell } from '../wait.ts';
import { driverOn, type RestartOptions, type Way, wayOf } from './way.ts';

/** Milliseconds for the second driver to run and answer: an upgrade pulls its image first. */
const startLimitMs = 180_000;
/** Milliseconds for its pod to be gone. */
const endLimitMs = 90_000;

type Handover = Extract<Way, { kind: 'handover' }>;

/** A second driver that answered Probe. */
export type Answering = Second & { readonly endpoint: HostPath; readonly answered: true };

export interface Second {
  readonly key: ObjectKey;
  readonly uid: string;
  /** Absent where the DaemonSet's template does not tell any more: it cannot be asked then. */
  readonly endpoint?: HostPath;
  /** It answered Probe in this run. */
  readonly answered?: true;
  /** UID of the node plugin's pod that it stands in for. */
  readonly replaces: string;
}

/** Starts a second driver, or takes that of an interrupted run. @returns once its socket answers Probe */
export async function startSecond(work: Work, way: Handover, options: RestartOptions): Promise<Answering> {
  const { daemonSet, second } = way;
  const { driver, metadata } = options;
  const { namespace } = daemonSet.key;
  const place = { driver, node: work.node.name, namespace, metadata };
  const key = secondKey(place);
  const replaces = driverOn(work.view, options)?.pod?.uid ?? '';
  await waitGone(work, key, true);
  if (!(await work.node.pod(key)))
    await work.node.createPod(secondPod(daemonSet.template, second, { ...place, replaces }));
  const fault = await untilWell(() => secondFault(work, key, way), startLimitMs, work.signal, 500);
  if (fault) throw new Error(`the second driver does not answer: ${fault}`);
  return { ...secondOf(work, await podAt(work, key), way), answered: true };
}

/** The one that an interrupted run left, as far as it can still be asked. */
export function secondFrom(
  { view }: Work,
  { key, uid, replaces }: SecondPlugin,
  options: RestartOptions,
): Second {
  const way = wayOf(view, options);
  if (way.kind !== 'handover') return { key, uid, replaces };
  const { template } = way.daemonSet;
  return { key, uid, replaces, endpoint: secondSocket(placeOf(view).root.path, uid, template, way.second) };
}

/** Its pod stands, and nothing runs in it nor ever will: evicted, for one. */
export const hasEnded = ({ phase }: Pick<SecondPlugin, 'phase'>) =>
  phase === 'Failed' || phase === 'Succeeded';

async function podAt({ node }: Work, key: ObjectKey): Promise<Wire<V1Pod>> {
  const pod = await node.pod(key);
  if (!pod) throw new Error(`pod ${keyText(key)} is gone: somebody deleted the second driver`);
  return pod;
}

function secondOf({ view }: Work, { metadata }: Wire<V1Pod>, way: Handover): Omit<Answering, 'answered'> {
  const uid = metadata?.uid ?? '';
  const root = placeOf(view).root.path;
  return {
    key: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    uid,
    endpoint: secondSocket(root, uid, way.daemonSet.template, way.second),
    replaces: metadata?.annotations?.[replacesAnnotation] ?? '',
  };
}

async function secondFault(work: Work, key: ObjectKey, way: Handover): Promise<string | undefined> {
  const pod = await podAt(work, key);
  const down = downText(pod);
  if (down) return down;
  const { endpoint } = secondOf(work, pod, way);
  try {
    const driver = await work.node.driver(placeOf(work.view).kubelet.pid, endpoint);
    return (await driver.probe(work.signal)) ? undefined : 'it says that it is not ready';
  } catch (error) {
    work.signal.throwIfAborted();
    return errorText(error);
  }
}

/** @throws Error for what no waiting cures */
function downText({ status }: Wire<V1Pod>): string | undefined {
  if (status?.phase && hasEnded({ phase: status.phase }))
    throw new Error(`the second driver's pod has ended: ${status.message ?? status.reason ?? status.phase}`);
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const crashed = statuses.find(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff');
  if (crashed)
    throw new Error(
      `container ${crashed.name} of the second driver ends again and again (${crashed.lastState?.terminated?.reason ?? 'no reason'}, exit code ${crashed.lastState?.terminated?.exitCode ?? 'unknown'}): it seems that it cannot run twice here; --no-handover restarts it plainly`,
    );
  const waiting = statuses.find(({ state }) => state?.waiting);
  if (waiting)
    return `container ${waiting.name}: ${waiting.state?.waiting?.reason} ${waiting.state?.waiting?.message ?? ''}`.trim();
  return status?.phase === 'Running' ? undefined : `its pod is ${status?.phase ?? 'not started'}`;
}

/** Deletes the second driver's pod; one that is gone already is fine. */
export async function endSecond(work: Work, { key, uid }: Second, wait: boolean): Promise<void> {
  const pod = await work.node.pod(key);
  if (pod?.metadata?.uid === uid && !pod.metadata.deletionTimestamp) await work.node.deletePod(key, uid);
  if (wait) await waitGone(work, key, false);
}

/** @param deletingOnly a pod that is not on its way out is let be */
async function waitGone(work: Work, key: ObjectKey, deletingOnly: boolean): Promise<void> {
  const left = await untilWell(
    async () => {
      const pod = await work.node.pod(key);
      const stays = pod && (!deletingOnly || pod.metadata?.deletionTimestamp !== undefined);
      return stays ? `pod ${keyText(key)} does not end` : undefined;
    },
    endLimitMs,
    work.signal,
    500,
  );
  if (left) throw new Error(left);
}
