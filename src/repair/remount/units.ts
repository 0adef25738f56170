import { isInUse, shouldBeMounted } from '../../diagnose/mounts.ts';
import { answeringSockets, driverAnswers } from '../../diagnose/registration.ts';
import { restartAdvice } from '../../diagnose/restart-advice.ts';
import type { ContainerMountView, NodeView, VolumeView } from '../../diagnose/view.ts';
import type { HostPath } from '../../model/ids.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { distrustIn } from './trust.ts';

/** The volume of a unit as every pod on the node has it: they share one staging path and are repaired together. */
export function volumesOf({ findings }: Unit, { volumes }: Pick<NodeView, 'volumes'>): readonly VolumeView[] {
  const subject = findings.find((finding) => finding.subject.volume !== undefined)?.subject;
  if (!subject || !volumes.seen) return [];
  return volumes.value.filter(
    (volume) => volume.driver === subject.driver && volume.handle === subject.volume && isInUse(volume),
  );
}

/** Every volume of the unit's pods, each as all pods on the node have it: a container starts only when all of them live. */
export function volumesOfPods(unit: Unit, { volumes }: NodeView): readonly (readonly VolumeView[])[] {
  if (!volumes.seen) return [];
  const pods = new Set(volumesOf(unit, { volumes }).map(({ target }) => target.podUid));
  const inUse = volumes.value.filter(isInUse);
  const groups = Map.groupBy(inUse, ({ driver, handle }) => `${driver} ${handle}`);
  return [...groups.values()].filter((group) => group.some(({ target }) => pods.has(target.podUid)));
}

/** Volumes whose path on the node must be published again: dead, or bare under a pod that runs. */
export const toPublish = (volumes: readonly VolumeView[]) =>
  volumes.filter((volume) => volume.state === 'dead' || (volume.state === 'bare' && shouldBeMounted(volume)));

const wrongStates: readonly ContainerMountView['state'][] = ['dead', 'bare'];

/** Mounts of running containers that are dead, or are the bare directory on the node's disk. */
export const toSwap = ({ containers }: VolumeView) =>
  containers.filter(({ state }) => wrongStates.includes(state));

/** The same, and those that have no mount left: nothing is there to swap. */
export const notAsOnNode = ({ containers }: VolumeView) =>
  containers.filter(({ state }) => state === 'lost' || wrongStates.includes(state));

/** The CSI socket of the unit's driver; undefined where it does not answer. */
export function endpointOf(volumes: readonly VolumeView[], { drivers }: NodeView): HostPath | undefined {
  const driver = drivers.find((each) => each.driver === volumes[0]?.driver);
  const entry = driver && answeringSockets(driver).find(driverAnswers);
  return entry?.socket?.registration.seen ? entry.socket.registration.value.endpoint : undefined;
}

/** Why the volumes must not be touched; undefined where they may. */
export function remountBar(unit: Unit, node: NodeView): string | undefined {
  if (!node.volumes.seen) return node.volumes.why;
  const volumes = volumesOf(unit, node);
  const [volume] = volumes;
  if (!volume) return 'no pod that is staying uses the volume any more';
  if (toPublish(volumes).length > 0 && !endpointOf(volumes, node)) return silentDriver(volume, node);
  return distrustIn(volumes, toSwap);
}

export function silentDriver({ driver, node: name }: VolumeView, node: NodeView): string {
  const pod = node.drivers.find((each) => each.driver === driver)?.pod;
  const bad = pod?.containers.find(({ ready }) => !ready);
  const state = !pod
    ? 'no node plugin pod of it runs here'
    : bad
      ? `container ${bad.name} of its node plugin is ${bad.state}${bad.lastEnd ? ` (last end: ${bad.lastEnd})` : ''}`
      : `its node plugin's pod ${pod.key.namespace}/${pod.key.name} runs`;
  const next = pod ? `restart it first: ${restartAdvice(node, driver, pod)}` : `bring it to ${name} first`;
  return `${driver} does not answer: ${state}; ${next}`;
}

export const offsetOf = (root: string, hostRoot: string) => {
  const base = hostRoot === '/' ? '' : hostRoot;
  return root.startsWith(`${base}/`) ? root.slice(base.length + 1) : '';
};
