import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../model/error-text.ts';
import { only } from '../../protocol/answers.ts';
import { agentArgs, type GuardedRecord } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import type { ConversationPort } from '../ports.ts';
import { placeOf } from '../registration.ts';
import { finish } from './finish.ts';
import { answerLate, checkReleased, isLate } from './release.ts';
import type { Prepared, Publication } from './requests.ts';
import type { Published } from './trust.ts';
import { volumesOf } from './units.ts';

/** What must be done before the bare directories lose their guard: a container may have been started on one meanwhile. */
export type BeforeCommit = (published: Published) => Promise<void>;

/**
 * Publishes the volume again on the node, through the driver's own socket, for every pod that has it dead. A driver
 * that is asked to publish over a dead target answers OK and does nothing, so the dead mounts leave the paths first;
 * the agent keeps copies and a guard on the bare directories, and puts the copies back when publishing fails.
 */
export async function publishAgain(
  work: Work,
  prepared: Prepared,
  beforeCommit: BeforeCommit = async () => undefined,
): Promise<void> {
  const published = new Set(prepared.publications.map(({ volume }) => volume.target.path));
  try {
    await replaceMounts(work, prepared, async (publications) => {
      for (const publication of publications) await finish(work, publication);
      await beforeCommit(published);
    });
  } finally {
    prepared.driver.close();
  }
}

/**
 * Takes the dead mounts away, publishes, completes, and only then lets the guards go. What fails after publishing does
 * not take the living mounts back: the paths are well, and what is wrong with a container is told.
 */
async function replaceMounts(
  work: Work,
  prepared: Prepared,
  complete: (publications: readonly Publication[]) => Promise<void>,
): Promise<void> {
  const { publications } = prepared;
  const conversation = await takeAway(work, publications);
  const rollBack = async (error: unknown) => {
    checkReleased(only(await conversation.say('rollback'), 'released'), 'restored', errorText(error));
    throw error;
  };
  try {
    await publishAll(prepared, work.signal).catch(rollBack);
    const failure = await caught(complete(publications));
    const released = only(await conversation.say('commit'), 'released');
    const late = released.some(isLate);
    const settled = late ? await answerLate(work, released) : released;
    checkReleased(settled, 'committed', nothingMounted(publications));
    const bare = unguarded(conversation);
    if (bare.length > 0) await noteUnguarded(work, bare);
    if (late || bare.length > 0) await complete(await lookedAtAgain(work, publications));
    else if (failure) throw failure.error;
  } finally {
    conversation.close();
  }
}

/** Milliseconds in which a container that was bound to a bare directory shows itself: kubelet reports what it started. */
const startingMs = 3_000;

const unguarded = ({ opening }: ConversationPort) =>
  only(opening, 'guarded').filter(({ guarded, layers }) => !guarded && layers > 0);

/** Nothing kept containers from being started on the bare directory meanwhile: they are looked for afterwards. */
async function noteUnguarded({ note, signal }: Work, bare: readonly GuardedRecord[]): Promise<void> {
  for (const { target, errno, fsType } of bare)
    note(`${target} could not be write-protected meanwhile (${errno ?? 'no reason given'} on ${fsType})`);
  await sleep(startingMs, undefined, { signal });
}

async function lookedAtAgain(
  { node, unit }: Work,
  publications: readonly Publication[],
): Promise<readonly Publication[]> {
  const volumes = volumesOf(unit, await node.observeVolumes());
  return publications.map((publication) => ({
    ...publication,
    volume:
      volumes.find(({ target }) => target.path === publication.volume.target.path) ?? publication.volume,
  }));
}

const caught = (work: Promise<void>) =>
  work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );

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
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
  const args = agentArgs.replace({ ...where, run: node.run, target, device });
  return node.converse(args, { kind: 'guarded', count: target.length });
}

/** Staged once for all pods, and only where the staging path is no living mount; published for each. */
async function publishAll({ publications, driver }: Prepared, signal: AbortSignal): Promise<void> {
  const [first] = publications;
  const staging = first?.volume.staging;
  if (first?.request.stage && staging?.layers.at(-1)?.state !== 'alive')
    await driver.stage(first.request.stage, signal);
  for (const { request } of publications) await driver.publish(request.publish, signal);
}
