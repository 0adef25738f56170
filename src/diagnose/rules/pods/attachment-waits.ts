import type { Attachment } from '../../../model/pod.ts';
import { attachmentStateOf } from '../../attachments.ts';
import { type Answer, type Draft, defineRule, well } from '../../define-rule.ts';
import { crowdText, overCrowded } from '../../limits.ts';
import type { PodView, PodVolumeView } from '../../pod-view.ts';
import {
  awaited,
  checkVolumes,
  eventProof,
  lastEvent,
  podSubject,
  quote,
  sinceText,
  volumeName,
} from '../../pods.ts';
import { isRegistered } from '../../registration.ts';

const reasons = {
  'no-attacher':
    "The external-attacher of the driver has not touched the VolumeAttachment: it puts its finalizer on before it calls the driver. It does not run, or it serves a driver of another name; a managed control plane may run it outside of the cluster's pods.",
  refused: 'The driver was asked to attach the volume and refused.',
  slow: 'The external-attacher has asked the driver, which has not answered yet.',
  detaching:
    'The VolumeAttachment of this very node is being deleted; a new one can only be made once it is gone.',
} as const;

type Reason = keyof typeof reasons;

/** A VolumeAttachment is a wish: the external-attacher carries it out (kubernetes-csi/external-attacher). */
export default defineRule<Reason>({
  id: 'attachment-waits',
  incident: 'pods',
  scope: 'pod',
  link: 'attachment',
  title: 'The volume is not attached to the node',
  needs: [],
  reasons,
  check: (pod) => checkVolumes(awaited(pod), (volume) => checkVolume(pod, volume)),
});

function checkVolume(pod: PodView, each: PodVolumeView): Answer<Reason> {
  const state = attachmentStateOf(pod, each);
  if (state.kind !== 'waiting') return well;
  const { own } = state;
  // The attacher takes the node's id from CSINode: where the driver is not registered, that is the cause.
  if (/CSINode/.test(own.attachError ?? '') && each.driver && !isRegistered(each.driver)) return well;
  if (!own.takenUp && isUninstalled(pod, each)) return well; // the rule about the node plugin says so
  const event = lastEvent(pod, ({ reason }) => reason === 'FailedAttachVolume');
  return {
    found: [
      {
        subject: podSubject(pod, each.volume),
        ...what(pod, each, own),
        proofs: [
          {
            what: `${own.name}: ${stateOf(own)}`,
            source: 'VolumeAttachment',
          },
          ...(event ? [eventProof(event, pod)] : []),
          ...crowdProofs(pod, each),
        ],
      },
    ],
  };
}

/** No CSIDriver, no node plugin anywhere: whatever is missing besides, the driver is. */
const isUninstalled = ({ snapshot: { csiDrivers } }: PodView, { driver }: PodVolumeView) =>
  driver !== undefined &&
  !driver.pod &&
  !driver.daemonSet &&
  csiDrivers.seen &&
  !csiDrivers.value.some(({ name }) => name === driver.driver);

function stateOf({ attached, attachError, detachError, takenUp, deletingSince }: Attachment): string {
  const error = deletingSince ? detachError : attachError;
  return [
    attached ? 'attached' : 'not attached',
    takenUp ? 'the external-attacher has its finalizer on it' : 'no finalizer of an external-attacher',
    ...(deletingSince ? ['being deleted'] : []),
    ...(error ? [quote(error)] : []),
  ].join('; ');
}

const crowdProofs = ({ node, snapshot }: PodView, { volume: { driver } }: PodVolumeView) =>
  node && driver
    ? overCrowded({ ...snapshot, nodes: [node.node] }, new Set([driver]), 0).map((crowd) => ({
        what: crowdText(crowd),
        source: `CSINode ${crowd.node}, and the pods there`,
      }))
    : [];

type What = Pick<Draft<Reason>, 'reason' | 'severity' | 'summary' | 'cure'>;

function what(pod: PodView, each: PodVolumeView, own: Attachment): What {
  const name = volumeName(each);
  const since = sinceText(own.deletingSince ?? own.createdAt, pod);
  const attacher = `external-attacher of ${own.driver}`;
  if (own.deletingSince)
    return {
      reason: 'detaching',
      severity: 'error',
      summary: `${name} is being detached from ${own.node} ${since}`,
      cure: `the ${attacher} takes its finalizer off once the driver has detached: see that it runs, and its log. Never take the finalizer off by hand while it can run: the storage would stay attached, unknown to Kubernetes`,
    };
  if (own.attachError)
    return {
      reason: 'refused',
      severity: 'error',
      summary: `${own.driver} refuses to attach ${name} to ${own.node}: ${quote(own.attachError)}`,
      cure: `the driver's own words are the cause; its controller's log has the rest. It is tried again by itself once the cause is gone`,
    };
  if (!own.takenUp)
    return {
      reason: 'no-attacher',
      severity: 'error',
      summary: `nobody attaches ${name} to ${own.node}: its VolumeAttachment has waited ${since}`,
      cure: `see that the controller of ${own.driver} runs with its external-attacher: kubectl get pods -A | grep -i attacher; a driver that needs no attaching says so in its CSIDriver (attachRequired: false)`,
    };
  return {
    reason: 'slow',
    severity: 'warning',
    summary: `${own.driver} has been attaching ${name} to ${own.node} ${since}`,
    cure: `wait; after minutes look at the log of the ${attacher} and of the driver's controller`,
  };
}
