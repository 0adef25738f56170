import type { NodeView } from '../../diagnose/view.ts';
import { plainContainerId } from '../../kubelet/container-id.ts';
import { handoverFolder } from '../../kubelet/handover.ts';
import { isBelow } from '../../kubelet/paths.ts';
import { errorText } from '../../model/error-text.ts';
import { hostPath, keyText } from '../../model/ids.ts';
import type { MountNamespace } from '../../model/mounts.ts';
import { AgentError, legible } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { LeftError, type Work } from '../define-repair.ts';
import type { DriverPort } from '../ports.ts';
import { placeOf } from '../registration.ts';
import type { Account } from './account.ts';
import { drain } from './drain.ts';
import { moveOne, readFault } from './move.ts';
import { evidenceOf, movesBack, ourMounts, ourStaging, ourTarget } from './places.ts';
import { endSecond, type Second } from './second.ts';
import { driverOn, isCarried, type RestartOptions, volumesOn } from './way.ts';

/** Milliseconds of an undo for apps to let go of what they opened on the second driver. */
const undoDrainMs = 10_000;

/** Moves every container from the second driver's mounts to those that kubelet's paths have. @returns the last look */
export async function takeBack(before: Work, options: RestartOptions, account: Account): Promise<Work> {
  const work = { ...before, view: await before.node.observe() };
  for (const move of movesBack(work.view, options.driver)) {
    const { volume } = move;
    if (volume.state !== 'alive')
      throw new LeftError(`${volume.target.path} is ${volume.state} on the node`, [
        `containers on ${volume.target.path} stay on the second driver: the path is ${volume.state}`,
      ]);
    account.moved(move, await moveOne(work, move));
  }
  const back = { ...work, view: await work.node.observe() };
  for (const { target } of volumesOn(back.view, options.driver).filter(isCarried)) {
    const fault = await readFault(back, target.path);
    if (fault) work.note(fault);
  }
  return back;
}

/**
 * Unpublishes what the second driver mounted, once nobody uses it any more, and ends it.
 * @param second undefined where it has gone already: its mounts are dead then
 * @param undo waits less, and for the pod's end not at all
 * @throws LeftError when a process still holds something of it: it goes on running then
 */
export async function clearAway(
  work: Work,
  second: Second | undefined,
  options: RestartOptions,
  undo = false,
): Promise<void> {
  await mustBeUnused(work, second, options, undo ? undoDrainMs : options.drainMs);
  if (second) await unpublishOurs(work, second, options);
  const now = { ...work, view: await work.node.observe() };
  await detachOurs(now, options);
  await removeFolder(now, options);
  if (second) await endSecond(work, second, !undo);
}

async function mustBeUnused(
  work: Work,
  second: Second | undefined,
  options: RestartOptions,
  limitMs: number,
): Promise<void> {
  if (movesBack(work.view, options.driver).length > 0)
    throw new LeftError('containers are still on the second driver', [
      `the second driver on ${work.node.name} goes on: containers use its mounts`,
    ]);
  const users = await usersOf(work, second, options);
  if (users.length > 0)
    throw new LeftError(
      `still on the second driver: ${users.join('; ')}`,
      users.map((user) => `the second driver on ${work.node.name} goes on: ${user} has its mounts`),
    );
  const alive = ourMounts(work.view, options.driver).filter(({ state }) => state !== 'dead');
  const devices = new Set(alive.map(({ device }) => device));
  const holders = second ? await drain(work, devices, options, limitMs) : [];
  if (holders.length > 0 && !options.force)
    throw new LeftError(
      `still in use: ${holders.join('; ')}`,
      holders.map((holder) => `the second driver on ${work.node.name} goes on, since ${holder}`),
    );
}

/** Who has a living mount of the second driver by the evidence alone, of whatever volume. */
async function usersOf(
  { view, node }: Work,
  second: Second | undefined,
  options: RestartOptions,
): Promise<readonly string[]> {
  const root = placeOf(view).root.path;
  const folder = handoverFolder(root, options.driver);
  const alive = ourMounts(view, options.driver).filter(({ state }) => state !== 'dead');
  if (alive.length === 0) return [];
  const { namespaces, mounts } = evidenceOf(view);
  const devices = new Set(alive.map(({ device }) => device));
  // Whoever has the node's folders has copies by propagation, which go with the mounts that they are copies of.
  const tails = alive.map(({ mountPoint }) => mountPoint.slice(folder.length));
  const isCopy = (path: string) => isBelow(path, root) || tails.some((tail) => path.endsWith(tail));
  const using = new Set(
    mounts
      .filter(({ device, mountPoint }) => devices.has(device) && !isCopy(mountPoint))
      .map(({ namespace }) => namespace),
  );
  const own = await ownContainers({ view, node }, second, options);
  return namespaces
    .filter(({ inode, host, containerId }) => using.has(inode) && !host && !own.has(containerId ?? ''))
    .map((namespace) => userText(view, namespace));
}

/** Containers of the node plugin and of the second driver: their mounts are their own. */
async function ownContainers(
  { view, node }: Pick<Work, 'view' | 'node'>,
  second: Second | undefined,
  options: RestartOptions,
): Promise<ReadonlySet<string>> {
  const first = driverOn(view, options)?.pod?.containers.map(({ containerId }) => containerId) ?? [];
  const status = second && (await node.pod(second.key))?.status;
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ids = [...first, ...statuses.map(({ containerID }) => containerID)];
  return new Set(ids.filter((id) => id !== undefined).map(plainContainerId));
}

function userText({ volumes }: NodeView, { inode, pid, command, containerId }: MountNamespace): string {
  for (const { containers, use } of volumes.seen ? volumes.value : []) {
    const found = containers.find(({ namespace }) => namespace?.inode === inode);
    if (found && use) return `container ${found.container} of pod ${keyText(use.pod)}`;
  }
  const where = containerId ? ` of container ${containerId.slice(0, 12)}` : '';
  return `process ${pid} (${legible(command)})${where}`;
}

/** The targets first, then the staging paths that they are binds of. */
async function unpublishOurs(work: Work, second: Second, options: RestartOptions): Promise<void> {
  const { kubelet } = placeOf(work.view);
  const { endpoint } = second;
  const mounted = new Set(ourMounts(work.view, options.driver).map(({ mountPoint }) => mountPoint));
  if (!endpoint || mounted.size === 0) return;
  await quietly(work, async () => {
    const driver = await work.node.driver(kubelet.pid, endpoint);
    await unpublishThrough(work, driver, mounted, options);
  });
}

async function unpublishThrough(
  work: Work,
  driver: DriverPort,
  mounted: ReadonlySet<string>,
  options: RestartOptions,
): Promise<void> {
  const { root } = placeOf(work.view);
  const volumes = volumesOn(work.view, options.driver);
  for (const volume of volumes) {
    const targetPath = ourTarget(root.path, volume);
    if (mounted.has(targetPath))
      await quietly(work, () => driver.unpublish({ volumeId: volume.handle, targetPath }, work.signal));
  }
  for (const [handle, [volume]] of Map.groupBy(volumes, (each) => each.handle)) {
    const stagingTargetPath = volume && ourStaging(root.path, volume);
    if (stagingTargetPath && mounted.has(stagingTargetPath))
      await quietly(work, () => driver.unstage({ volumeId: handle, stagingTargetPath }, work.signal));
  }
}

/** What the driver does not do, the agent does right after: its daemons end with its pod. */
async function quietly({ signal }: Work, call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch {
    signal.throwIfAborted();
  }
}

/** Exactly the mounts below our own folder, by id and device. */
async function detachOurs({ node, view }: Work, options: RestartOptions): Promise<void> {
  const { kubelet } = placeOf(view);
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks };
  for (const { mountPoint, device, id } of ourMounts(view, options.driver))
    await node.agent(
      agentArgs.unmount({ ...where, path: hostPath(mountPoint), device, mountId: id, planned: true }),
    );
}

/** Only what is empty: a file that a driver left there is nobody's but its own. */
async function removeFolder({ node, view }: Work, options: RestartOptions): Promise<void> {
  const { kubelet, root } = placeOf(view);
  const path = handoverFolder(root.path, options.driver);
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks };
  try {
    await node.agent(agentArgs.removeEmpty({ ...where, path, below: true }));
  } catch (error) {
    if (error instanceof AgentError && error.code === 'not-found') return;
    throw new LeftError(errorText(error), [`${path}: ${errorText(error)}`]);
  }
}
