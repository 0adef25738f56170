import { answeringSockets, driverAnswers, isRegistered, isServing } from '../../diagnose/registration.ts';
import type { NodeView } from '../../diagnose/view.ts';
import { mapConcurrent } from '../../model/concurrent.ts';
import { errorText } from '../../model/error-text.ts';
import { keyText } from '../../model/ids.ts';
import { LeftError, RefusedError, type Work } from '../define-repair.ts';
import { placeOf } from '../registration.ts';
import { remount } from '../remount/remount.ts';
import { requestsFor } from '../remount/requests.ts';
import { endpointOf, toPublish, toSwap } from '../remount/units.ts';
import { untilWell } from '../wait.ts';
import { doubtOf } from './doubt.ts';
import { seenVolumesOn } from './places.ts';
import { driverOn, isFuse, nameOf, type RestartOptions, volumesOn } from './way.ts';

/** Milliseconds for the old pod to end and a new one to run, register and answer: an upgrade pulls its image. */
const replaceLimitMs = 300_000;
/** Volumes that are published again at the same time. */
const volumesAtOnce = 8;

/**
 * A volume whose request cannot be built could not be published again either. One that does not answer is restarted all
 * the same: it cannot be asked what its requests need.
 * @throws Error
 */
export async function mustBePublishable(work: Work, options: RestartOptions): Promise<void> {
  const volumes = volumesOn(work.view, options.driver).filter(isFuse);
  const endpoint = endpointOf(volumes, work.view);
  if (!endpoint || options.force) return;
  const driver = await work.node.driver(placeOf(work.view).kubelet.pid, endpoint);
  const groups = Map.groupBy(volumes, ({ handle }) => handle).values();
  await mapConcurrent([...groups], volumesAtOnce, async (group) => {
    const [volume] = group;
    await requestsFor(work, group, driver).catch((error: unknown) => {
      const what = volume && nameOf(volume);
      throw new RefusedError(
        `${what} could not be published again: ${errorText(error)}; --force restarts anyway`,
      );
    });
  });
}

/**
 * Deletes the node plugin's pod; its DaemonSet makes the new one, of the template as it is now.
 * @throws Error when by now something would end that could not be carried
 */
export async function deletePlugin({ view, node }: Work, options: RestartOptions): Promise<void> {
  const volumes = seenVolumesOn(view, options.driver);
  const doubt = options.force ? undefined : doubtOf(view, options);
  if (doubt) throw new Error(doubt);
  const pod = driverOn(view, options)?.pod;
  const endpoint = endpointOf(volumes, view);
  if (endpoint) await node.forgetDriver(endpoint);
  if (pod && !pod.deleting) await node.deletePod(pod.key, pod.uid);
}

/** Waits until another pod than that of the UID serves the driver: ready, registered, its socket answers Probe. */
export async function waitReplaced(work: Work, old: string, options: RestartOptions): Promise<void> {
  const ask = async () =>
    replaceFault(await work.node.look(), old, options) ?? socketFault(await work.node.observe(), options);
  const fault = await untilWell(ask, replaceLimitMs, work.signal, 500);
  if (fault)
    throw new LeftError(`the new node plugin does not serve: ${fault}`, [
      `${options.driver} on ${work.node.name} was restarted and does not serve yet: ${fault}`,
    ]);
}

function replaceFault(view: NodeView, old: string, options: RestartOptions): string | undefined {
  const driver = driverOn(view, options);
  const pod = driver?.pod;
  if (!driver || !pod) return 'its DaemonSet has made no new pod yet';
  if (pod.uid === old) return `pod ${keyText(pod.key)} has not ended yet`;
  const bad = pod.containers.find(({ ready }) => !ready);
  if (!isServing(pod))
    return `pod ${keyText(pod.key)} is not ready${bad ? `: container ${bad.name} is ${bad.state}` : ''}`;
  return isRegistered(driver) ? undefined : 'kubelet has not registered it again yet';
}

function socketFault(view: NodeView, options: RestartOptions): string | undefined {
  const driver = driverOn(view, options);
  return driver && answeringSockets(driver).some(driverAnswers)
    ? undefined
    : 'its socket does not answer Probe yet';
}

/** Publishes again what is dead or bare on the node by now, and swaps the containers that have it so. */
export async function remountAll(before: Work, options: RestartOptions): Promise<void> {
  const work = { ...before, view: await before.node.observe() };
  const volumes = seenVolumesOn(work.view, options.driver);
  const sick = volumes.filter((volume) => toPublish([volume]).length > 0 || toSwap(volume).length > 0);
  const handles = [...new Set(sick.map(({ handle }) => handle))];
  const faults = await mapConcurrent(handles, volumesAtOnce, (handle) => remountOne(work, handle, options));
  const left = faults.filter((fault) => fault !== undefined);
  work.signal.throwIfAborted();
  if (left.length > 0) throw new LeftError(left.join('; '), left);
}

/** As `heal` does it, for a volume of which nothing need be found first. */
async function remountOne(
  work: Work,
  handle: string,
  { driver }: RestartOptions,
): Promise<string | undefined> {
  const subject = { node: work.node.name, driver, volume: handle };
  const words = { summary: '', proofs: [], cure: '' };
  const finding = {
    rule: 'mount-dead',
    reason: 'daemon-gone',
    severity: 'error',
    subject,
    ...words,
  } as const;
  try {
    await remount({ ...work, unit: { node: work.node.name, findings: [finding] } });
    return undefined;
  } catch (error) {
    return `volume ${handle}: ${errorText(error)}`;
  }
}
