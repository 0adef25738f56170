import { ageText } from '../model/age.ts';
import { countOf } from '../model/count.ts';
import type { Finding } from '../model/finding.ts';
import type { PodView } from './pod-view.ts';
import { isMounted, isOld, isPastGrace, leftovers } from './pods.ts';

/** The pod's state as kubectl shows it, and since when. */
export function statusText({ facts, at }: PodView): string {
  const { endsAt, containers, phase, reason, createdAt } = facts;
  if (endsAt !== undefined)
    return Date.parse(endsAt) > Date.parse(at)
      ? `Terminating, its grace period ends in ${ageText(at, endsAt)}`
      : `Terminating, its grace period ended ${ageText(endsAt, at)} ago`;
  const waiting = containers.find((each) => each.state === 'waiting' && each.reason !== '');
  return `${waiting?.reason ?? reason ?? phase}, ${ageText(createdAt, at)} old`;
}

export interface Verdict {
  /** True for a pod that should long have started or ended, and for which nothing was found that says why it has not. */
  readonly unexplained: boolean;
  /** One line for a person. */
  readonly text: string;
}

/** What is to be said first of a pod. */
export function verdictOf(pod: PodView, blocker: Finding | undefined, others: readonly Finding[]): Verdict {
  const explained = (text: string): Verdict => ({ unexplained: false, text });
  if (blocker) return explained(blocker.summary);
  const elsewhere = others.find(({ severity, rule }) => severity === 'notice' && ownRules.has(rule));
  if (elsewhere) return explained(elsewhere.summary);
  switch (pod.condition) {
    case 'running':
      return explained(`running; ${volumesText(pod)}`);
    case 'ended':
      return explained(
        `it has ended (${pod.facts.phase})${leftovers(pod).length > 0 ? ', and kubelet still has its volumes mounted' : ''}`,
      );
    case 'unscheduled':
      return {
        unexplained: isOld(pod),
        text: 'no claim of it is broken, and the scheduler names no other reason: it tries again by itself',
      };
    case 'starting':
      return { unexplained: isOld(pod), text: startingText(pod) };
    case 'ending':
      return {
        unexplained: isPastGrace(pod),
        text: 'it is being taken down, and nothing was found that keeps it',
      };
  }
}

/** Rules that name a cause outside of storage. */
const ownRules: ReadonlySet<string> = new Set(['not-storage', 'pod-unschedulable']);

const startingText = (pod: PodView) => {
  const { volumes } = pod;
  const mounted = volumes.filter(isMounted).length;
  if (volumes.length === 0) return 'it uses no CSI volume: this is not about storage';
  return `${mounted} of ${countOf(volumes.length, 'volume')} mounted, and nothing was found that keeps it back`;
};

function volumesText({ volumes }: PodView): string {
  if (volumes.length === 0) return 'it uses no CSI volume';
  const unseen = volumes.filter(({ published }) => !published.seen).length;
  if (unseen > 0) return `${countOf(unseen, 'volume')} of it could not be looked at`;
  if (volumes.every(isMounted)) return 'all its volumes answer';
  const other = volumes.filter(
    ({ volume: { persistentVolume } }) => persistentVolume?.seen && persistentVolume.value?.otherSource,
  ).length;
  return other === volumes.length
    ? "none of its volumes is a CSI driver's"
    : `${volumes.filter(isMounted).length} of ${volumes.length} volumes answer`;
}
