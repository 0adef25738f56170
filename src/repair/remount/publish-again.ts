import { isDeepStrictEqual } from 'node:util';
import type { VolumeView } from '../../diagnose/view.ts';
import type { Replay } from '../../kubelet/publish/index.ts';
import { errorText } from '../../model/error-text.ts';
import { hostPath } from '../../model/ids.ts';
import { only } from '../../protocol/answers.ts';
import { agentArgs, type ReleasedRecord } from '../../protocol/protocol.gen.ts';
import { LeftError, type Work } from '../define-repair.ts';
import type { ConversationPort, DriverPort } from '../ports.ts';
import { placeOf } from '../registration.ts';
import type { Published } from './trust.ts';
import { endpointOf, offsetOf, toPublish, volumesOf } from './units.ts';

type Request = Extract<Replay, { kind: 'request' }>;

interface Publication {
  readonly volume: VolumeView;
  readonly request: Request;
}

/** What must be done before the bare directories lose their guard: a container may have been started on one meanwhile. */
export type BeforeCommit = (published: Published) => Promise<void>;

/**
 * Publishes the volume again on the node, through the driver's own socket, for every pod that has it dead. A driver
 * that is asked to publish over a dead target answers OK and does nothing, so the dead mounts leave the paths first;
 * the agent keeps copies and a guard on the bare directories, and puts the copies back when publishing fails.
 * @returns the targets that were published
 */
export async function publishAgain(
  work: Work,
  shared: readonly VolumeView[] = volumesOf(work.unit, work.view),
  beforeCommit: BeforeCommit = async () => undefined,
): Promise<Published> {
  const volumes = toPublish(shared);
  const endpoint = endpointOf(volumes, work.view);
  if (volumes.length === 0) return new Set();
  if (!endpoint) throw new Error('the driver does not answer');
  const { kubelet } = placeOf(work.view);
  const driver = await work.node.driver(kubelet.pid, endpoint);
  try {
    if (!(await driver.probe(work.signal))) throw new Error('the driver says that it is not ready');
    const publications = await requestsFor(work, volumes, driver);
    const published = new Set(publications.map(({ volume }) => volume.target.path));
    await replaceMounts(work, publications, driver, async () => {
      for (const publication of publications) await finish(work, publication);
      await beforeCommit(published);
    });
    return published;
  } finally {
    driver.close();
  }
}

/** All requests are built before anything is touched: a field that cannot be known stops the repair here. */
async function requestsFor({ node, view, signal }: Work, volumes: readonly VolumeView[], driver: DriverPort) {
  const capabilities = await driver.capabilities(signal);
  const { root } = placeOf(view);
  const publications = await Promise.all(
    volumes.map(async (volume): Promise<Publication> => {
      if (!volume.use) throw new Error('the volume belongs to no pod');
      const facts = { kubeletRoot: root.path, capabilities, volData: volume.target.volData };
      const request = await node.replay(volume.use, facts);
      if (request.kind === 'refused')
        throw new Error(`${request.field} of the request cannot be known: ${request.why}`);
      return { volume, request };
    }),
  );
  checkStaging(publications);
  return publications;
}

/** Kubelet staged with the fsGroup and SELinux context of the pod that came first, which nothing tells afterwards. */
function checkStaging(publications: readonly Publication[]): void {
  const [first, ...others] = publications.map(({ request }) => request.stage?.volumeCapability);
  if (others.every((other) => isDeepStrictEqual(first, other))) return;
  throw new Error('the pods on this volume would stage it differently (fsGroup or SELinux context)');
}

/**
 * Takes the dead mounts away, publishes, finishes, and only then lets the guards go. What fails after publishing does
 * not take the living mounts back: the paths are well, and what is wrong with a container is told.
 */
async function replaceMounts(
  work: Work,
  publications: readonly Publication[],
  driver: DriverPort,
  beforeCommit: () => Promise<void>,
): Promise<void> {
  const conversation = await takeAway(work, publications);
  const rollBack = async (error: unknown) => {
    checkReleased(only(await conversation.say('rollback'), 'released'), 'restored', errorText(error));
    throw error;
  };
  try {
    await publishAll(publications, driver, work.signal).catch(rollBack);
    const later = await beforeCommit().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const released = only(await conversation.say('commit'), 'released');
    checkReleased(released, 'committed', nothingMounted(publications));
    if (later) throw later.error;
  } finally {
    conversation.close();
  }
}

/** @throws LeftError for a target that has neither its old state nor the new one, Error for one that has the other */
function checkReleased(
  released: readonly ReleasedRecord[],
  expected: ReleasedRecord['outcome'],
  otherwise: string,
): void {
  const left = released.filter(({ outcome }) => outcome === 'left');
  if (left.length > 0)
    throw new LeftError(
      otherwise,
      left.map(
        ({ target, reason, guarded }) =>
          `${target}: ${reason ?? 'bare'}${guarded ? ', write-protected' : ''}`,
      ),
    );
  const other = released.find(({ outcome }) => outcome !== expected);
  if (other) throw new Error(other.reason ?? otherwise);
}

const nothingMounted = (publications: readonly Publication[]) =>
  `${publications[0]?.volume.driver} answered OK and mounted nothing that answers`;

/** The staging path goes last: the targets are binds of it. */
async function takeAway(
  { node, view }: Work,
  publications: readonly Publication[],
): Promise<ConversationPort> {
  const { kubelet, root } = placeOf(view);
  const staging = publications.flatMap(({ volume, request }) =>
    request.stage && volume.staging ? [volume.staging] : [],
  )[0];
  const staged = staging && staging.layers.at(-1)?.state !== 'alive' ? [staging.target.path] : [];
  const target = [...publications.map(({ volume }) => volume.target.path), ...staged];
  const layers = publications.flatMap(({ volume }) => [...volume.layers, ...(volume.staging?.layers ?? [])]);
  const device = [...new Set(layers.filter(({ state }) => state !== 'alive').map((layer) => layer.device))];
  const args = {
    at: kubelet.pid,
    startTicks: kubelet.startTicks,
    root: root.path,
    run: node.run,
    target,
    device,
  };
  return node.converse(agentArgs.replace(args), { kind: 'guarded', count: target.length });
}

/** Staged once for all pods, and only where the staging path is no living mount; published for each. */
async function publishAll(
  publications: readonly Publication[],
  driver: DriverPort,
  signal: AbortSignal,
): Promise<void> {
  const [first] = publications;
  const staging = first?.volume.staging;
  if (first?.request.stage && staging?.layers.at(-1)?.state !== 'alive')
    await driver.stage(first.request.stage, signal);
  for (const { request } of publications) await driver.publish(request.publish, signal);
}

/** What kubelet does after a driver has published: fsGroup, where it is kubelet's to do, and the binds of subPaths. */
async function finish({ node, view }: Work, { volume, request }: Publication): Promise<void> {
  const { kubelet, root } = placeOf(view);
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks };
  const { path } = volume.target;
  if (request.ownership) {
    const { gid, changePolicy } = request.ownership;
    await node.agent(
      agentArgs.own({ ...where, path, gid, onRootMismatch: changePolicy === 'OnRootMismatch' }),
    );
  }
  for (const { bind, layers } of volume.subPaths) {
    const top = layers.at(-1);
    if (!top || top.state === 'alive') continue;
    const sub = offsetOf(top.root, volume.layers.at(-1)?.root ?? '/');
    const from = hostPath(path);
    await node.agent(
      agentArgs.subpath({ ...where, root: root.path, target: bind.path, from, sub, device: top.device }),
    );
  }
}
