import { secondPluginOf } from '../../diagnose/second-plugin.ts';
import { errorText } from '../../model/error-text.ts';
import type { SecondPlugin } from '../../model/second-plugin.ts';
import { LeftError, type Work } from '../define-repair.ts';
import { writeJournal } from '../journal.ts';
import { Account } from './account.ts';
import { carryOver } from './carry.ts';
import { clearAway, takeBack } from './clear.ts';
import { drain } from './drain.ts';
import { movesOver, notCarried, ourMounts } from './places.ts';
import { deletePlugin, mustBePublishable, remountAll, waitReplaced } from './replace.ts';
import { type Answering, hasEnded, type Second, secondFrom, startSecond } from './second.ts';
import { driverOn, isCarried, type RestartOptions, volumesOn, type Way, wayOf } from './way.ts';

type Step = (does: string) => Promise<void>;

const stepOf =
  ({ node, progress }: Work, { driver }: RestartOptions): Step =>
  async (does) => {
    progress(does);
    await writeJournal(node, { repair: `restart-driver: ${does}`, subject: driver, state: 'begun' });
  };

/**
 * Restarts the driver on one node. Each step looks at what stands and does what is missing, so that a run after an
 * interrupted one completes it.
 */
export async function restartDriver(work: Work, options: RestartOptions): Promise<void> {
  const account = new Account();
  const step = stepOf(work, options);
  const second = await replaceFirst(work, options, account, step);
  const old = second?.replaces || driverOn(work.view, options)?.pod?.uid || '';
  await completing(work, second, async () => {
    await step('waiting for the new node plugin');
    await waitReplaced(work, old, options);
    await step('publishing the volumes again');
    await remountAll(work, options);
    if (!second && ourMounts(await work.node.observe(), options.driver).length === 0) return;
    await step('taking the containers back');
    const back = await takeBack(work, options, account);
    await step('ending the second driver');
    await clearAway(back, second, options);
  });
  for (const line of account.summary) work.note(line);
}

/**
 * Restarts the node plugin unless an interrupted run did: the second driver need not answer for the rest, nor be one
 * that today's template could make.
 * @returns the second driver that stands then
 */
async function replaceFirst(
  work: Work,
  options: RestartOptions,
  account: Account,
  step: Step,
): Promise<Second | undefined> {
  const standing = secondPluginOf(work.view, options.driver);
  const second = standing && secondFrom(work, standing, options);
  if (second && (await isReplaced(work, second))) return second;
  const way = wayOf(work.view, options);
  if (way.kind === 'handover') {
    const ready = standing && hasEnded(standing) ? await discard(work, standing, options, step) : work;
    return handOver(ready, way, options, account, step);
  }
  await restartPlainly(work, options, step);
  return second;
}

/** A second driver that ended before the restart is of no use: another is made in its place. */
async function discard(
  work: Work,
  standing: SecondPlugin,
  options: RestartOptions,
  step: Step,
): Promise<Work> {
  await step('taking the containers back from a second driver that has ended');
  const back = await takeBack(work, options, new Account());
  await clearAway(back, secondFrom(back, standing, options), options);
  return { ...work, view: await work.node.observe() };
}

/** What fails once the driver was restarted leaves the containers on the second one; alive, if that answered. */
async function completing(
  { node }: Work,
  second: Second | undefined,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!second) throw error;
    const left = error instanceof LeftError ? error.left : [];
    throw new LeftError(errorText(error), [
      ...left,
      `pod ${second.key.namespace}/${second.key.name} on ${node.name} ${second.answered ? 'carries the volumes meanwhile, no app is dead' : 'still stands, and apps may live on its mounts'}: run the same command again`,
    ]);
  }
}

async function restartPlainly(work: Work, options: RestartOptions, step: Step): Promise<void> {
  await mustBePublishable(work, options);
  await step('restarting the node plugin');
  await deletePlugin(work, options);
}

/** Until the driver is restarted all of this can be taken back. */
async function handOver(
  work: Work,
  way: Extract<Way, { kind: 'handover' }>,
  options: RestartOptions,
  account: Account,
  step: Step,
): Promise<Answering> {
  await step('starting a second driver');
  const second = await startSecond(work, way, options);
  if (await isReplaced(work, second)) return second;
  for (;;) {
    await step('moving the containers to the second driver');
    const carried = await carryOver(work, second, options, account);
    await step('waiting until nothing is open on the old mounts');
    const held = await drain(carried, oldDevices(carried, account, options), options);
    if (held.length > 0 && !options.force)
      throw new Error(
        `still open on the old mounts, and would die with them: ${held.join('; ')}; --force restarts it anyway, --drain-timeout waits longer`,
      );
    for (const holder of held) work.note(`${holder}: it fails until it opens them anew`);
    const fresh = { ...work, view: await work.node.observe() };
    if (hasNews(fresh, account, options)) continue;
    await step('restarting the node plugin');
    await deletePlugin(fresh, options);
    return second;
  }
}

/** A pod that came while the others were drained is carried over too. */
const hasNews = ({ view }: Work, { refused }: Account, { driver }: RestartOptions) =>
  movesOver(view, driver).length > 0 ||
  notCarried(view, driver).some(({ target }) => !refused.has(target.path));

/** The file systems that end with the driver: kubelet's paths have them, and containers had. */
function oldDevices({ view }: Work, { devices }: Account, { driver }: RestartOptions): ReadonlySet<string> {
  const ours = new Set(ourMounts(view, driver).map(({ device }) => device));
  const hosts = volumesOn(view, driver)
    .filter(isCarried)
    .flatMap(({ layers }) => layers.map(({ device }) => device));
  return new Set([...hosts, ...devices].filter((device) => !ours.has(device)));
}

/** Whether the node plugin that the second driver stands in for has gone, or is on its way. */
async function isReplaced({ node }: Work, { replaces }: Pick<Second, 'replaces'>): Promise<boolean> {
  const { snapshot, pluginPods } = await node.look();
  if (!snapshot.pluginPods.seen) throw new Error(snapshot.pluginPods.why);
  return !pluginPods.some(({ uid, deleting }) => uid === replaces && !deleting);
}

/** Takes the containers back to the first driver while it still runs. @throws Error when it does not any more */
export async function undoRestart(before: Work, options: RestartOptions): Promise<void> {
  const work = { ...before, view: await before.node.observe() };
  const found = secondPluginOf(work.view, options.driver);
  const replaces = found?.replaces ?? driverOn(before.view, options)?.pod?.uid ?? '';
  if (await isReplaced(work, { replaces }))
    throw new Error(
      found
        ? 'the driver was restarted already, and the containers live on the second one: run the same command again'
        : `the driver was restarted already: kubectl csi heal --node ${work.node.name} brings its volumes back`,
    );
  const second = found && secondFrom(work, found, options);
  const back = await takeBack(work, options, new Account());
  await clearAway(back, second, options, true);
}
