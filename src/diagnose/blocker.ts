import type { Finding, Subject } from '../model/finding.ts';
import { keyText } from '../model/ids.ts';
import { type Link, links } from '../model/walk.ts';
import type { PodView } from './pod-view.ts';
import { awaited, hasRunning, isMounted, leftovers } from './pods.ts';
import type { LinkedFinding } from './walk.ts';

/** A finding concerns a pod when it names it, or the driver of one of its volumes on its node, or the node itself. */
export function concernsPod(subject: Subject, { facts }: PodView): boolean {
  const { node, driver, volume, volumeName, pod } = subject;
  if (node !== undefined && node !== facts.node) return false;
  if (pod && keyText(pod) === keyText(facts.key)) return true;
  if (driver !== undefined && !facts.volumes.some((each) => each.driver === driver)) return false;
  return volume === undefined && volumeName === undefined;
}

/** The one thing that keeps the pod from starting or ending: the first broken link that it still needs. */
export function blockerOf(pod: PodView, findings: readonly LinkedFinding[]): Finding | undefined {
  const needed = neededLinks(pod);
  const drivers = waitingDrivers(pod);
  const faults = findings.filter(({ finding: { severity, subject }, link }) => {
    if (severity !== 'error' || !needed.has(link)) return false;
    return subject.driver === undefined || drivers.has(subject.driver);
  });
  const order = ({ link }: LinkedFinding) => links.indexOf(link);
  return [...faults].sort((a, b) => order(a) - order(b))[0]?.finding;
}

const toSchedule: readonly Link[] = ['claim', 'volume', 'scheduling'];
const toTakeDown: readonly Link[] = ['plugin', 'registration', 'mount'];

function neededLinks(pod: PodView): ReadonlySet<Link> {
  switch (pod.condition) {
    case 'unscheduled':
      return new Set(toSchedule);
    case 'starting':
      return new Set(awaited(pod).length > 0 ? links : ['node', 'mount', 'container']);
    case 'running':
      return new Set(['node', 'mount', 'container']);
    case 'ending': {
      if (hasRunning(pod)) return new Set(['node', 'container']);
      return new Set(['node', ...(isTakenDown(pod) ? [] : toTakeDown), 'container', 'end']);
    }
    case 'ended':
      return new Set();
  }
}

const isTakenDown = (pod: PodView) =>
  leftovers(pod).length === 0 && pod.volumes.every(({ published }) => published.seen);

/** Drivers of the volumes that the pod still waits for. */
function waitingDrivers(pod: PodView): ReadonlySet<string> {
  const ending = pod.condition === 'ending';
  return new Set(
    pod.volumes
      .filter((each) =>
        ending ? !each.published.seen || each.published.value : !isMounted(each) || isInside(pod),
      )
      .flatMap(({ volume }) => volume.driver ?? []),
  );
}

/** On the node a mount may answer that is dead in a container. */
const isInside = ({ condition }: PodView) => condition === 'running';
