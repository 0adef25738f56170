import type { VolumeView } from '../../diagnose/view.ts';
import { mapConcurrent } from '../../model/concurrent.ts';
import { errorText } from '../../model/error-text.ts';
import { hostPath } from '../../model/ids.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import type { DriverPort } from '../ports.ts';
import { placeOf } from '../registration.ts';
import { type Publication, requestsFor } from '../remount/requests.ts';
import type { Account } from './account.ts';
import { moveOne, readFault } from './move.ts';
import { mountAt, movesOver, notCarried, ourMounts, ourStaging, ourTarget } from './places.ts';
import type { Answering } from './second.ts';
import { isCarried, nameOf, type RestartOptions, volumesOn } from './way.ts';

/** Volumes that are published at the same time. */
const volumesAtOnce = 8;
/** Looks until nothing new has come: containers may start meanwhile. */
const mostRounds = 6;

/** Publishes every volume through the second driver too, and moves every container onto it. @returns the last look */
export async function carryOver(
  before: Work,
  second: Answering,
  options: RestartOptions,
  account: Account,
): Promise<Work> {
  const driver = await before.node.driver(placeOf(before.view).kubelet.pid, second.endpoint);
  let work = before;
  for (let round = 0; round < mostRounds; round += 1) {
    work = { ...work, view: await work.node.observe() };
    const missing = notCarried(work.view, options.driver).filter(
      ({ target }) => !account.refused.has(target.path),
    );
    if (missing.length > 0) {
      await publishOurs(work, driver, missing, options, account);
      work = { ...work, view: await work.node.observe() };
      mustBeThere(work, missing, options, account);
    }
    const moves = movesOver(work.view, options.driver);
    if (missing.length === 0 && moves.length === 0) return readOurs(work, options);
    for (const move of moves) {
      account.devices.add(move.mount.device);
      account.moved(move, await moveOne(work, move));
    }
  }
  throw new Error('new containers keep coming on the old mounts');
}

function mustBeThere(
  { view }: Work,
  asked: readonly VolumeView[],
  { driver }: RestartOptions,
  { refused }: Account,
): void {
  const paths = new Set(asked.map(({ target }) => target.path).filter((path) => !refused.has(path)));
  const lacking = notCarried(view, driver).find(({ target }) => paths.has(target.path));
  if (lacking)
    throw new Error(
      `the second driver answered OK and mounted nothing that answers for ${nameOf(lacking)}: it may take no path but kubelet's own; --no-handover restarts it plainly`,
    );
}

/** What cannot be read there, and can where the containers come from, they must not be left on. */
async function readOurs(work: Work, { driver }: RestartOptions): Promise<Work> {
  const { root } = placeOf(work.view);
  for (const volume of volumesOn(work.view, driver).filter(isCarried)) {
    const fault = await readFault(work, ourTarget(root.path, volume));
    if (fault && !(await readFault(work, volume.target.path)))
      throw new Error(`the second driver's ${fault}`);
  }
  return work;
}

/** All requests are built before the first is sent. */
async function publishOurs(
  work: Work,
  driver: DriverPort,
  volumes: readonly VolumeView[],
  { force }: RestartOptions,
  account: Account,
): Promise<void> {
  const groups = [...Map.groupBy(volumes, ({ handle }) => handle).values()];
  const built = await mapConcurrent(groups, volumesAtOnce, async (group) => {
    try {
      return await requestsFor(work, group, driver);
    } catch (error) {
      work.signal.throwIfAborted();
      const [volume] = group;
      const why = `${volume ? nameOf(volume) : ''}: ${errorText(error)}`;
      if (!force) throw new Error(`${why}: it could not be published again after the restart either`);
      for (const { target } of group) account.refused.add(target.path);
      work.note(`not carried: ${why}`);
      return [];
    }
  });
  await mapConcurrent(built, volumesAtOnce, (publications) => publishGroup(work, driver, publications));
}

/** Staged once for all pods of the node, published for each, at paths of our own. */
async function publishGroup(
  work: Work,
  driver: DriverPort,
  publications: readonly Publication[],
): Promise<void> {
  const [first] = publications;
  if (!first) return;
  const { root } = placeOf(work.view);
  const ours = ourMounts(work.view, first.volume.driver);
  const staging = ourStaging(root.path, first.volume);
  if (first.request.stage && mountAt(ours, staging)?.state !== 'alive') {
    await bare(work, staging, first.volume);
    await makeDirectory(work, staging);
    await driver.stage({ ...first.request.stage, stagingTargetPath: staging }, work.signal);
  }
  for (const { volume, request } of publications) {
    const target = ourTarget(root.path, volume);
    await bare(work, target, volume);
    await makeDirectory(work, target.slice(0, target.lastIndexOf('/')));
    const staged = request.publish.stagingTargetPath && { stagingTargetPath: staging };
    await driver.publish({ ...request.publish, ...staged, targetPath: target }, work.signal);
    if (request.ownership) {
      const { gid, changePolicy } = request.ownership;
      const { pid, startTicks } = placeOf(work.view).kubelet;
      const where = { at: pid, startTicks, path: target, gid };
      await work.node.agent(agentArgs.own({ ...where, onRootMismatch: changePolicy === 'OnRootMismatch' }));
    }
  }
}

/** What an interrupted run left there, dead with its driver, goes first: drivers answer OK over a dead mount. */
async function bare({ node, view }: Work, path: string, { driver }: VolumeView): Promise<void> {
  const { kubelet } = placeOf(view);
  const layers = ourMounts(view, driver).filter(({ mountPoint }) => mountPoint === path);
  for (const { id, device } of layers)
    await node.agent(
      agentArgs.unmount({ at: kubelet.pid, startTicks: kubelet.startTicks, path, device, mountId: id }),
    );
}

async function makeDirectory({ node, view }: Work, path: string): Promise<void> {
  const { kubelet, root } = placeOf(view);
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
  await node.agent(agentArgs.makeDirectory({ ...where, path: hostPath(path) }));
}
