import { ageText } from '../model/age.ts';
import type { Link, StepState } from '../model/walk.ts';
import { attachmentStateOf } from './attachments.ts';
import type { PodView, PodVolumeView } from './pod-view.ts';
import { hasRunning, isMounted } from './pods.ts';
import { isRegistered, isServing } from './registration.ts';

/** How a link is, and what tells so. */
export type Word = readonly [state: StepState, what: string];
type VolumeLink = (pod: PodView, volume: PodVolumeView) => Word;

/** The links that a pod has once, whatever its volumes. */
export const podLinks: Partial<Record<Link, (pod: PodView) => Word>> = {
  scheduling: ({ facts: { node } }) => (node ? ['sound', `placed on ${node}`] : ['waiting', 'no node yet']),
  node: ({ facts, nodeObject }) => {
    if (!nodeObject) return ['waiting', 'no node yet'];
    if (!nodeObject.seen) return ['unknown', nodeObject.why];
    return nodeObject.value?.ready
      ? ['sound', `${facts.node} is Ready`]
      : ['broken', `${facts.node} is not Ready`];
  },
  container: ({ facts: { containers }, condition }) => {
    const what = containers.map(({ name, state, reason }) => `${name} ${reason || state}`).join(', ');
    return [condition === 'running' || condition === 'ended' ? 'sound' : 'waiting', what];
  },
  end: (pod) => {
    const { endsAt, finalizers } = pod.facts;
    if (endsAt === undefined) return ['unneeded', 'nobody deleted the pod'];
    const what = `deleted; its grace period ended ${ageText(endsAt, pod.at)} ago`;
    return ['waiting', finalizers.length > 0 ? `${what}; finalizers: ${finalizers.join(', ')}` : what];
  },
};

const volumeLinks: Partial<Record<Link, VolumeLink>> = {
  claim: (_pod, { volume: { claim, claimKey } }) => {
    if (!claim) return ['unneeded', 'an inline volume has no claim'];
    if (!claim.seen) return ['unknown', claim.why];
    const phase = claim.value?.phase ?? 'missing';
    return [phase === 'Bound' ? 'sound' : 'waiting', `${claimKey?.name} is ${phase}`];
  },
  volume: (_pod, { volume: { claim, persistentVolume, driver } }) => {
    if (!claim) return ['unneeded', `inline, of ${driver}`];
    if (!persistentVolume) return ['waiting', 'no PersistentVolume yet'];
    if (!persistentVolume.seen) return ['unknown', persistentVolume.why];
    const { value } = persistentVolume;
    if (!value) return ['broken', 'the PersistentVolume does not exist'];
    const whose = value.otherSource ? `${value.otherSource}, of no CSI driver` : `of ${driver}`;
    const what = `${value.name} is ${value.phase}, ${value.accessModes.join(' ')}, ${whose}`;
    return [value.phase === 'Bound' ? 'sound' : 'waiting', value.deleting ? `${what}, being deleted` : what];
  },
  attachment: (pod, volume) => {
    const state = attachmentStateOf(pod, volume);
    switch (state.kind) {
      case 'unseen':
        return ['unknown', state.why];
      case 'unneeded':
        return volume.volume.driver
          ? ['unneeded', 'no attaching needed']
          : ['waiting', 'no driver known yet'];
      case 'attached':
        return ['sound', `attached to ${pod.facts.node}`];
      case 'waiting':
        return ['waiting', `not attached to ${pod.facts.node}`];
      case 'elsewhere':
        return ['waiting', `attached to ${state.others.map(({ node }) => node).join(', ')}`];
      default:
        return isMounted(volume) || pod.condition === 'ending'
          ? ['unneeded', 'not attached any more']
          : ['waiting', 'not attached'];
    }
  },
  plugin: (pod, { driver }) => {
    if (!driver) return ['waiting', 'no node yet'];
    if (!pod.snapshot.pluginPods.seen) return ['unknown', pod.snapshot.pluginPods.why];
    if (!driver.pod) return ['broken', `no node plugin of ${driver.driver} runs on ${driver.node}`];
    const name = `${driver.pod.key.namespace}/${driver.pod.key.name}`;
    return isServing(driver.pod) ? ['sound', `${name} is ready`] : ['broken', `${name} is not ready`];
  },
  registration: (_pod, { driver }) => {
    if (!driver) return ['waiting', 'no node yet'];
    if (!driver.listed.seen) return ['unknown', driver.listed.why];
    const listed = driver.listed.value ? 'CSINode lists it' : 'CSINode does not list it';
    const held = !driver.held.seen
      ? `kubelet's word: <unknown> (${driver.held.why})`
      : driver.held.value
        ? 'kubelet holds it'
        : 'kubelet does not hold it';
    return [isRegistered(driver) ? 'sound' : 'broken', `${listed}, ${held}`];
  },
  mount: mountWord,
};

function mountWord(pod: PodView, { volume, published }: PodVolumeView): Word {
  if (volume.persistentVolume?.seen && volume.persistentVolume.value?.block)
    return ['unknown', 'a raw block volume: its device is not looked at'];
  if (!published.seen) return ['unknown', published.why];
  const { condition } = pod;
  if (!published.value) return [condition === 'ending' ? 'sound' : 'waiting', 'not mounted on the node'];
  const { state, layers } = published.value;
  if (condition === 'starting' && layers.length === 0) return ['waiting', `not mounted yet (${state})`];
  if (state === 'unseen')
    return ['unknown', `statfs answers ${layers.at(-1)?.errno ?? 'nothing that tells'}`];
  const what = layers.length > 1 ? `${state}, ${layers.length} layers` : state;
  if (condition === 'ending' && !hasRunning(pod)) return ['waiting', what];
  return [state === 'alive' ? 'sound' : 'broken', what];
}

const nodeLinks: ReadonlySet<Link> = new Set(['attachment', 'plugin', 'registration', 'mount']);

/** What is no CSI driver's has no links beyond its PersistentVolume; without a node there are none on it. */
export function volumeWord(link: Link, pod: PodView, volume: PodVolumeView): Word {
  const { persistentVolume } = volume.volume;
  const isOther = persistentVolume?.seen && persistentVolume.value?.otherSource !== undefined;
  if (nodeLinks.has(link) && isOther) return ['unneeded', 'no CSI driver'];
  if (nodeLinks.has(link) && !pod.node && pod.facts.node) return ['unknown', unseenNode(pod)];
  return volumeLinks[link]?.(pod, volume) ?? ['unknown', ''];
}

const unseenNode = ({ facts: { node }, nodeObject }: PodView) =>
  nodeObject && !nodeObject.seen ? nodeObject.why : `node ${node} is gone`;
