import type { Finding } from '../model/finding.ts';
import { type Link, links, type WalkStep } from '../model/walk.ts';
import type { PodView, PodVolumeView } from './pod-view.ts';
import { podLinks, volumeWord, type Word } from './walk-words.ts';

/** A finding with the link that it breaks. */
export interface LinkedFinding {
  readonly finding: Finding;
  readonly link: Link;
}

/** Every link of a pod as it was found, in order: those of each volume, and those of the pod itself. */
export function walkOf(pod: PodView, findings: readonly LinkedFinding[]): readonly WalkStep[] {
  const isBroken = (link: Link, volume?: PodVolumeView) =>
    findings.some(
      (each) => each.link === link && each.finding.severity === 'error' && isAbout(each.finding, volume),
    );
  const judged = (link: Link, [state, what]: Word, volume?: PodVolumeView): WalkStep => ({
    link,
    ...(volume && { volume: volume.volume.name }),
    state: isBroken(link, volume) ? 'broken' : state,
    what,
  });
  return links.flatMap((link): readonly WalkStep[] => {
    const ofPod = podLinks[link];
    if (ofPod) return [judged(link, ofPod(pod))];
    return pod.volumes.map((volume) => judged(link, volumeWord(link, pod, volume), volume));
  });
}

/** Findings about drivers are about each volume of the driver. */
function isAbout({ subject }: Finding, volume: PodVolumeView | undefined): boolean {
  if (!volume) return true;
  if (subject.volumeName !== undefined) return subject.volumeName === volume.volume.name;
  return subject.driver === undefined || subject.driver === volume.volume.driver;
}
