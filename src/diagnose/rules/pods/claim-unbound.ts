import type { ClaimFacts, StorageClassFacts } from '../../../model/pod.ts';
import { type Answer, type Draft, defineRule, well } from '../../define-rule.ts';
import type { PodView, PodVolumeView } from '../../pod-view.ts';
import { awaited, checkVolumes, eventProof, lastEvent, podSubject, volumeName } from '../../pods.ts';

const reasons = {
  missing: 'The pod names a claim that does not exist.',
  'of-another':
    "A claim of the name that the pod's generic ephemeral volume needs exists, but belongs to somebody else.",
  lost: 'The claim was bound, and its PersistentVolume is gone or bound to another claim. A claim that is Lost does not recover until that very volume is there again.',
  deleting: 'The claim is being deleted: no pod that is not running yet gets it.',
  'volume-missing': 'The claim names its PersistentVolume, and there is none of that name.',
  'volume-taken': 'The PersistentVolume that the claim names belongs to another claim.',
  'no-class': 'The claim names no StorageClass, and the cluster had no default when it was made.',
  'class-missing': 'The StorageClass of the claim does not exist.',
  'no-volume':
    'The claim wants no StorageClass, so somebody must make the PersistentVolume, and none fits: size, access modes, labels, or a claimRef to somebody else.',
  'provisioning-failed': 'The provisioner was asked for a volume and failed.',
  'no-provisioner':
    'The claim waits for its provisioner, which gave no sign: the external-provisioner of the driver does not run, or its driver has another name.',
} as const;

type Reason = keyof typeof reasons;

type What = Pick<Draft<Reason>, 'reason' | 'summary' | 'cure'>;

/** Everything else waits for the claim: without it there is no volume to attach or to mount. */
export default defineRule<Reason>({
  id: 'claim-unbound',
  incident: 'pods',
  scope: 'pod',
  link: 'claim',
  title: 'The claim has no volume',
  needs: [],
  reasons,
  check: (pod) => checkVolumes(awaited(pod), (volume) => checkClaim(pod, volume)),
});

function checkClaim(pod: PodView, each: PodVolumeView): Answer<Reason> {
  const { claim, claimKey, persistentVolume } = each.volume;
  const subject = podSubject(pod, each.volume);
  if (!claim || !claimKey) return well;
  if (!claim.seen) return { blind: [{ subject, why: claim.why }] };
  if (persistentVolume && !persistentVolume.seen) return { blind: [{ subject, why: persistentVolume.why }] };
  const what = claim.value ? faultOf(pod, each, claim.value) : missing(each);
  if (!what) return well;
  const event = lastEvent(pod, (one) => one.claim === claimKey.name && one.type === 'Warning');
  const state = claim.value ? `is ${claim.value.phase}` : 'does not exist';
  return {
    found: [
      {
        severity: 'error',
        subject,
        ...what,
        proofs: [
          { what: `claim ${claimKey.name} ${state}`, source: 'API server' },
          ...(event ? [eventProof(event, pod)] : []),
        ],
      },
    ],
  };
}

const get = ({ volume: { claimKey } }: PodVolumeView) =>
  `kubectl describe pvc ${claimKey?.name} -n ${claimKey?.namespace}`;

const missing = (each: PodVolumeView): What => ({
  reason: 'missing',
  summary: `claim ${volumeName(each)} does not exist`,
  cure:
    each.volume.kind === 'ephemeral'
      ? `kube-controller-manager makes the claim of a generic ephemeral volume: its log says why it did not`
      : `make the claim, or correct the name in the pod; kubectl get pvc -n ${each.volume.claimKey?.namespace} lists what there is`,
});

function faultOf(pod: PodView, each: PodVolumeView, claim: ClaimFacts): What | undefined {
  const name = volumeName(each);
  if (each.volume.kind === 'ephemeral' && !claim.owners.includes(pod.facts.uid))
    return {
      reason: 'of-another',
      summary: `claim ${name} exists, and was not made for this pod`,
      cure: `rename the pod's volume or the claim; ${get(each)} shows whose it is`,
    };
  if (claim.deleting)
    return {
      reason: 'deleting',
      summary: `claim ${name} is being deleted`,
      cure: `delete the pods that still use it, then make the claim anew: ${get(each)} lists them (Used By)`,
    };
  if (claim.phase === 'Lost') return lost(each, claim);
  if (claim.phase === 'Bound') return undefined;
  return claim.volumeName ? unboundTo(each, claim.volumeName) : unprovisioned(pod, each, claim);
}

const lost = (each: PodVolumeView, { volumeName: pv }: ClaimFacts): What => ({
  reason: 'lost',
  summary: `claim ${volumeName(each)} lost its PersistentVolume ${pv}`,
  cure: `make PersistentVolume ${pv} again, for the same volume of the storage (driver and volumeHandle) and with no claimRef: the claim binds to it again. The data is where it was unless its reclaim policy deleted it`,
});

function unboundTo(each: PodVolumeView, pv: string): What | undefined {
  const { persistentVolume, claim, claimKey } = each.volume;
  const volume = persistentVolume?.seen ? persistentVolume.value : undefined;
  if (!volume)
    return {
      reason: 'volume-missing',
      summary: `claim ${volumeName(each)} wants PersistentVolume ${pv}, which does not exist`,
      cure: `make PersistentVolume ${pv}, or make the claim anew without volumeName; kubectl get pv lists what there is`,
    };
  const { claim: owner } = volume;
  const own = claim?.seen ? claim.value?.uid : undefined;
  const ours =
    owner?.namespace === claimKey?.namespace &&
    owner?.name === claimKey?.name &&
    (!owner?.uid || owner.uid === own);
  if (!owner || ours) return undefined; // kube-controller-manager binds them in a moment
  return {
    reason: 'volume-taken',
    summary: `PersistentVolume ${pv} belongs to claim ${owner.namespace}/${owner.name}${owner.uid ? ` (UID ${owner.uid})` : ''}`,
    cure: `if that claim is gone and the data is meant for this one: kubectl patch pv ${pv} --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'; else choose another volume`,
  };
}

function unprovisioned(pod: PodView, each: PodVolumeView, claim: ClaimFacts): What | undefined {
  const { storageClass } = each.volume;
  const name = volumeName(each);
  if (claim.storageClass === undefined)
    return {
      reason: 'no-class',
      summary: `claim ${name} names no StorageClass, and there is no default`,
      cure: `kubectl get storageclass, then name one in the claim (made anew: the field cannot be changed once it is set), or make one the default`,
    };
  if (claim.storageClass === '')
    return {
      reason: 'no-volume',
      summary: `claim ${name} waits for a PersistentVolume that somebody makes by hand`,
      cure: `kubectl get pv -o wide lists those that are Available; ${get(each)} says what it asks for`,
    };
  return storageClass?.seen ? ofClass(pod, each, claim, storageClass.value) : undefined;
}

function ofClass(
  pod: PodView,
  each: PodVolumeView,
  claim: ClaimFacts,
  storageClass: StorageClassFacts | undefined,
): What | undefined {
  const name = volumeName(each);
  if (!storageClass)
    return {
      reason: 'class-missing',
      summary: `StorageClass ${claim.storageClass} of claim ${name} does not exist`,
      cure: 'kubectl get storageclass lists what there is; make it, or make the claim anew with another',
    };
  const { waitsForConsumer, provisioner } = storageClass;
  // Its turn comes with a node: the scheduler's word decides (pkg/scheduler/framework/plugins/volumebinding).
  if (waitsForConsumer && claim.selectedNode === undefined && pod.facts.node === undefined) return undefined;
  const said = (reason: string) =>
    lastEvent(pod, (event) => event.claim === each.volume.claimKey?.name && event.reason === reason);
  if (said('ProvisioningFailed'))
    return {
      reason: 'provisioning-failed',
      summary: `${provisioner} could not make the volume of claim ${name}`,
      cure: "the driver's own words are above; its controller's log has the rest. It tries again by itself once the cause is gone",
    };
  if (said('Provisioning')) return undefined;
  return {
    reason: 'no-provisioner',
    summary: `nobody makes the volume of claim ${name}: ${provisioner} gave no sign`,
    cure: `see that the controller of ${provisioner} runs with its external-provisioner: kubectl get pods -A; and that the class names the driver rightly: kubectl get csidrivers`,
  };
}
