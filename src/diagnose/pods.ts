import { ageText } from '../model/age.ts';
import type { Proof, Subject } from '../model/finding.ts';
import { valueOr } from '../model/observed.ts';
import type { PodEvent } from '../model/pod.ts';
import type { Answer, Blind, Draft } from './define-rule.ts';
import type { PodView, PodVolumeView } from './pod-view.ts';

export const podSubject = ({ facts: { key, node } }: PodView, volume?: PodVolumeView['volume']): Subject => ({
  ...(node && { node }),
  ...(volume?.driver && { driver: volume.driver }),
  pod: key,
  ...(volume?.handle && { volume: volume.handle }),
  ...(volume && { volumeName: volume.name }),
});

/** How people call it: its claim, else its name in the pod. */
export const volumeName = ({ volume: { claimKey, name } }: PodVolumeView) => claimKey?.name ?? name;

export const podArgs = ({ facts: { key } }: PodView) => `${key.name} -n ${key.namespace}`;

/** Since when, in words for a summary: `for 5 min`. */
export const sinceText = (from: string, { at }: Pick<PodView, 'at'>) => {
  const age = ageText(from, at);
  return age ? `for ${age}` : 'since an unknown time';
};

/** Mounted on the node, and it answers. */
export const isMounted = ({ published }: PodVolumeView) =>
  published.seen && published.value?.state === 'alive';

/** Volumes that the pod waits for: what is mounted already is not kept back by anything. */
export const awaited = ({ condition, volumes }: PodView): readonly PodVolumeView[] =>
  condition === 'starting' || condition === 'unscheduled' ? volumes.filter((each) => !isMounted(each)) : [];

/** Folders of its volumes that kubelet has not taken down yet. */
export const leftovers = ({ condition, volumes }: PodView) =>
  condition !== 'ending' && condition !== 'ended'
    ? []
    : volumes.flatMap((volume) =>
        volume.published.seen && volume.published.value
          ? [{ volume, published: volume.published.value }]
          : [],
      );

export const hasRunning = ({ facts: { containers } }: PodView) =>
  containers.some(({ state }) => state === 'running');

/** Kubelet and the runtime take a moment of their own. */
const slackMs = 15_000;

/** Whether the pod should be gone by now. */
export const isPastGrace = ({ facts: { endsAt }, at }: PodView) =>
  endsAt !== undefined && Date.parse(at) > Date.parse(endsAt) + slackMs;

/** Whether the pod should have started by now, if nothing kept it. */
export const isOld = ({ facts: { createdAt }, at }: PodView) =>
  Date.parse(at) > Date.parse(createdAt) + 2 * slackMs;

/** The newest event that a test picks. */
export const lastEvent = ({ facts }: PodView, test: (event: PodEvent) => boolean): PodEvent | undefined =>
  valueOr(facts.events, []).findLast(test);

const longestQuote = 600;

/** Kubelet's messages may hold many lines, and the whole of what a driver wrote. */
export const quote = (text: string) => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestQuote ? `${line.slice(0, longestQuote)}…` : line;
};

export const eventProof = ({ reason, message, count, claim, lastAt }: PodEvent, { at }: PodView): Proof => ({
  what: quote(message),
  source: `event ${reason}${claim ? ` of claim ${claim}` : ''}, ${count > 1 ? `${count} times, ` : ''}last ${ageText(lastAt, at) || '?'} ago`,
});

/** Asks about each of these volumes. */
export function checkVolumes<Reason extends string>(
  volumes: readonly PodVolumeView[],
  check: (volume: PodVolumeView) => Answer<Reason>,
): Answer<Reason> {
  const answers = volumes.map(check);
  return {
    found: answers.flatMap(({ found = [] }): readonly Draft<Reason>[] => found),
    blind: answers.flatMap(({ blind = [] }): readonly Blind[] => blind),
  };
}
