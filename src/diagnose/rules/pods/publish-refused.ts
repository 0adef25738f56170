import type { PodEvent } from '../../../model/pod.ts';
import { type Answer, type Draft, defineRule, well } from '../../define-rule.ts';
import { specName } from '../../join-pod.ts';
import type { PodView, PodVolumeView } from '../../pod-view.ts';
import { awaited, checkVolumes, eventProof, lastEvent, podSubject, quote, volumeName } from '../../pods.ts';
import { isRegistered } from '../../registration.ts';

const reasons = {
  'secret-missing': 'The Secret that the volume names for the driver is not there.',
  'mode-unsupported': 'The CSIDriver does not allow volumes of this kind (volumeLifecycleModes).',
  'timed-out': 'The driver gave no answer in the 2 minutes that kubelet waits.',
  'dead-mount': 'Kubelet or the driver ran into a mount on the path that is dead.',
  'driver-came-later':
    'The pod was there before the driver was registered. It is now, and kubelet tries again within 2 minutes.',
  'driver-error': 'The driver was asked to mount the volume and refused.',
  other: 'Kubelet could not mount the volume, and it was not the driver that said so.',
} as const;

type Reason = keyof typeof reasons;

/** Texts of pkg/volume/csi (csi_mounter.go, csi_attacher.go, csi_util.go, csi_plugin.go) and of gRPC's status. */
const words: readonly (readonly [RegExp, Reason])[] = [
  [
    /SecretRef|failed to (get|find) (the )?secret|secrets? "[^"]+" (is )?(not found|forbidden)/,
    'secret-missing',
  ],
  [
    /volume mode "?\w+"? not supported by driver|inline volumes not supported|does not support ephemeral/,
    'mode-unsupported',
  ],
  [/not found in the list of registered CSI drivers/, 'driver-came-later'],
  [/transport endpoint is not connected|stale (NFS )?file handle|host is down/i, 'dead-mount'],
  [/DeadlineExceeded|context deadline exceeded/, 'timed-out'],
  [/rpc error: code = /, 'driver-error'],
];

/** The driver is there and answers: what it said to kubelet stands in the pod's events only. */
export default defineRule<Reason>({
  id: 'publish-refused',
  incident: 'pods',
  scope: 'pod',
  link: 'mount',
  title: 'The volume is not mounted',
  needs: [],
  reasons,
  check(pod) {
    if (pod.condition !== 'starting' || awaited(pod).length === 0) return well;
    if (!pod.facts.events.seen) return { blind: [{ subject: podSubject(pod), why: pod.facts.events.why }] };
    return checkVolumes(awaited(pod), (volume) => checkVolume(pod, volume));
  },
});

function checkVolume(pod: PodView, each: PodVolumeView): Answer<Reason> {
  const event = lastEvent(pod, (one) => isAbout(one, each));
  if (!event) return well;
  const reason = words.find(([pattern]) => pattern.test(event.message))?.[1] ?? 'other';
  const registered = each.driver !== undefined && isRegistered(each.driver);
  if (reason === 'driver-came-later' && !registered) return well; // the rules about registration say why
  return {
    found: [
      {
        reason,
        severity: reason === 'driver-came-later' ? 'warning' : 'error',
        subject: podSubject(pod, each.volume),
        summary: `${volumeName(each)} could not be mounted: ${gist(event)}`,
        proofs: [eventProof(event, pod)],
        cure: cureOf(reason, pod, each),
      },
    ],
  };
}

/** Kubelet names the PersistentVolume, or an inline volume's name in the pod. */
const isAbout = ({ reason, message, claim }: PodEvent, { volume }: PodVolumeView) =>
  reason === 'FailedMount' &&
  claim === undefined &&
  /MountVolume\.|MapVolume\./.test(message) &&
  message.includes(`for volume "${specName(volume)}"`);

/** What comes after kubelet's own preface. */
const gist = ({ message }: PodEvent) =>
  quote(message.replace(/^.*? for volume "[^"]*" : /s, '').replace(/^rpc error: code = \w+ desc = /, ''));

function cureOf(reason: Reason, { facts }: PodView, { volume: { driver } }: PodVolumeView): Draft['cure'] {
  const again = 'kubelet tries again by itself, at the latest after 2 minutes';
  switch (reason) {
    case 'secret-missing':
      return `make the Secret that the message names, or correct nodePublishSecretRef or nodeStageSecretRef; ${again}`;
    case 'mode-unsupported':
      return `kubectl get csidriver ${driver} -o yaml: volumeLifecycleModes lists what it allows; use a claim instead of an inline volume, or the driver's newer manifest`;
    case 'timed-out':
      return `kubectl csi doctor --node ${facts.node} --driver ${driver} asks the driver; its own log on ${facts.node} says what it waits for`;
    case 'dead-mount':
      return `kubectl csi doctor --node ${facts.node} shows the dead mount, and kubectl csi heal --node ${facts.node} cures it`;
    case 'driver-came-later':
      return `wait: ${again}. So that no pod comes before the driver at the next start of a node: give new nodes a startup taint that the driver (or its agent) takes off`;
    case 'driver-error':
      return `the driver's words are the cause; its log on ${facts.node} has the rest; ${again}`;
    case 'other':
      return `the message names the cause; ${again}`;
  }
}
