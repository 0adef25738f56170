import { isRegistered, isServing } from '../../diagnose/registration.ts';
import { secondPluginOf } from '../../diagnose/second-plugin.ts';
import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import { countOf } from '../../model/count.ts';
import { keyText } from '../../model/ids.ts';
import { defineRepair, type Repair, type Work } from '../define-repair.ts';
import { unseenPlace } from '../registration.ts';
import { untilWell } from '../wait.ts';
import { doubtOf, kernelBar } from './doubt.ts';
import { restartDriver, undoRestart } from './handover.ts';
import { ourMounts } from './places.ts';
import { daemonSetOn, driverOn, fates, isCarried, type RestartOptions, volumesOn, wayOf } from './way.ts';

/** Milliseconds for kubelet and CSINode to agree on a driver that has just registered. */
const verifyLimitMs = 30_000;

/** Restarts the node plugin of one driver, with handover where it can run twice. */
export function restartRepair(options: RestartOptions): Repair {
  return defineRepair({
    id: 'restart-driver',
    title: 'Restart the node plugin, its volumes carried by a second driver meanwhile',
    rank: 900,
    risk: 'disruptive',
    cures: [],
    onRequest: true,
    event: {
      done: 'CSIDriverRestarted',
      failed: 'CSIDriverRestartFailed',
      about: options.daemonSets.map(({ key }) => ({ kind: 'DaemonSet', ...key })),
    },
    describe: (_unit, node) => describe(node, options),
    details: (_unit, node) =>
      unseenPlace(node) ? [] : [...cautionsOn(node, options), ...fates(node, options)],
    bars: (_unit, node) => restartBar(node, options),
    act: (work) => restartDriver(work, options),
    verify: (work) => untilWell(() => restartFault(work, options), verifyLimitMs, work.signal, 1_000),
    undo: (work) => undoRestart(work, options),
  });
}

function describe(node: NodeView, options: RestartOptions): string {
  if (unseenPlace(node)) return `restart the node plugin of ${options.driver}`;
  const pod = driverOn(node, options)?.pod;
  const name = pod ? `pod ${keyText(pod.key)}` : `the node plugin of ${options.driver}`;
  const way = wayOf(node, options);
  if (way.kind === 'nothing') return `restart ${name}: no volume here ends with it`;
  const carried = volumesOn(node, options.driver).filter(isCarried);
  const containers = carried.flatMap((volume) => volume.containers.filter(({ namespace }) => namespace));
  const what = `${countOf(containers.length, 'container mount')} on ${countOf(carried.length, 'volume')}`;
  if (way.kind === 'plain')
    return `restart ${name} without handover (${way.why}); ${what} end and are brought back right after`;
  return secondPluginOf(node, options.driver)
    ? `complete the handover that was interrupted: restart ${name} if it was not yet, and take ${what} back from the second driver`
    : `hand ${what} over to a second driver, restart ${name}, take them back`;
}

function cautionsOn(node: NodeView, options: RestartOptions): readonly string[] {
  const way = wayOf(node, options);
  return way.kind === 'handover' ? way.cautions.map((caution) => `mind: ${caution}`) : [];
}

/** Why the driver must not be restarted here; undefined where it may. */
export function restartBar(node: NodeView, options: RestartOptions): string | undefined {
  const unseen = unseenPlace(node) ?? (node.volumes.seen ? undefined : node.volumes.why);
  if (unseen) return unseen;
  const second = secondPluginOf(node, options.driver);
  const standing = podBar(node, second !== undefined, options);
  if (standing || options.force) return standing;
  const begins = !second && wayOf(node, options).kind === 'handover';
  return (begins ? kernelBar(node) : undefined) ?? doubtOf(node, options);
}

function podBar(node: NodeView, second: boolean, options: RestartOptions): string | undefined {
  const pod = driverOn(node, options)?.pod;
  if (!pod && !second) return `no node plugin of ${options.driver} runs here`;
  if (pod && !daemonSetOn(node, options))
    return `pod ${keyText(pod.key)} belongs to ${pod.owner ?? 'nobody'}, not to a DaemonSet: nothing would make the same pod again`;
  if (pod?.deleting && !second)
    return `pod ${keyText(pod.key)} is on its way out already: wait for the next one`;
  return second && !options.handover
    ? 'a handover stands unfinished here: run it without --no-handover, which completes it'
    : undefined;
}

const goodStates: ReadonlySet<string> = new Set(['same', 'stopped']);

/** What is still wrong, by a fresh look; undefined when the new node plugin serves and all that answered answers. */
async function restartFault(work: Work, options: RestartOptions): Promise<string | undefined> {
  const view = await work.node.observe();
  if (!view.volumes.seen) return view.volumes.why;
  const driver = driverOn(view, options);
  if (!driver?.pod || !isServing(driver.pod)) return `no node plugin of ${options.driver} serves`;
  if (!isRegistered(driver)) return 'kubelet has not registered it again';
  const before = new Set(
    volumesOn(work.view, options.driver)
      .filter(isKnown)
      .map(({ target }) => target.path),
  );
  for (const volume of volumesOn(view, options.driver)) {
    if (!before.has(volume.target.path)) continue;
    if (volume.state !== 'alive') return `${volume.target.path} is ${volume.state} on the node`;
    const wrong = volume.containers.find(({ state }) => !goodStates.has(state));
    if (wrong) return `${wrong.declared.path} of container ${wrong.container} is ${wrong.state}`;
  }
  const left = ourMounts(view, options.driver)[0];
  if (left) return `${left.mountPoint} is still mounted`;
  return secondPluginOf(view, options.driver) ? 'the second driver still runs' : undefined;
}

const isKnown = ({ state }: VolumeView) => state === 'alive' || state === 'dead';
