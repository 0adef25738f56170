import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type ReplayInput, replayOf } from '../../../../src/kubelet/publish/index.ts';
import { Secret } from '../../../../src/kubelet/publish/secret.ts';
import { nodeName } from '../../../../src/model/ids.ts';
import { seen, unseen } from '../../../../src/model/observed.ts';
import { claim, csiDriver, inlineInput, input, persistentVolume, pod, requested } from './fixture.ts';

const noRight = 'no right to get secrets: secrets is forbidden';
const attached = seen(csiDriver({ attachRequired: true }));
const changedPod = (change: object) => seen({ ...pod(), metadata: { ...pod().metadata, ...change } });
const ephemeral = seen(pod({}, { ephemeral: {}, persistentVolumeClaim: undefined } as object));
const publishSecret = seen(persistentVolume({}, { nodePublishSecretRef: { namespace: 'a', name: 'b' } }));
const stageSecret = seen(persistentVolume({}, { nodeStageSecretRef: { namespace: 'a', name: 'b' } }));
const labelled = (seLinuxMountContext: string) => seen({ seLinuxMountContext });
const labels = seen(csiDriver({ seLinuxMount: true }));
const selinux = 'volume_capability.mount.mount_flags (SELinux context)';

/** Each: what is amiss, the field that the refusal must name, and words of its reason. */
const refusals: readonly (readonly [says: string, input: ReplayInput, field: string, why: RegExp])[] = [
  [
    'a pod that cannot be read',
    input({ pod: unseen('no right to get pods') }),
    'pod',
    /no right to get pods/,
  ],
  ['another pod of the same name', input({ pod: changedPod({ uid: 'new' }) }), 'pod', /replaced/],
  [
    'a pod that is being deleted',
    input({ pod: changedPod({ deletionTimestamp: '2026-01-01T00:00:00Z' }) }),
    'pod',
    /being deleted/,
  ],
  ['a pod on another node', input({ node: nodeName('other') }), 'pod', /does not run on node other/],
  [
    'a pod that has ended',
    input({ pod: seen({ ...pod(), status: { phase: 'Succeeded' } }) }),
    'pod',
    /has ended: Succeeded/,
  ],
  ['a volume that is gone', input({ pod: seen(pod({ volumes: [] })) }), 'pod', /no volume data/],
  ['a claim that cannot be read', input({ claim: unseen('gone') }), 'claim', /gone/],
  [
    'another claim in the pod',
    input({ claim: seen({ ...claim, metadata: { ...claim.metadata, name: 'old' } }) }),
    'claim',
    /now uses claim claim/,
  ],
  [
    'an ephemeral claim of somebody else',
    input({ pod: ephemeral, claim: seen({ ...claim, metadata: { name: 'app-data', uid: 'claim-uid' } }) }),
    'claim',
    /not made for the pod/,
  ],
  [
    'a claim bound elsewhere',
    input({ claim: seen({ ...claim, spec: { volumeName: 'pv-2' } }) }),
    'persistent volume',
    /not bound to each other/,
  ],
  [
    'a volume bound to another claim',
    input({ persistentVolume: seen(persistentVolume({ claimRef: { uid: 'other' } })) }),
    'persistent volume',
    /not bound to each other/,
  ],
  [
    'a volume that is not of CSI',
    input({ persistentVolume: seen(persistentVolume({ csi: undefined })) }),
    'persistent volume',
    /names no CSI driver/,
  ],
  ['a CSIDriver that cannot be read', input({ csiDriver: unseen('no right') }), 'csi driver', /no right/],
  [
    'an inline volume without a CSIDriver',
    inlineInput({}, { csiDriver: seen(undefined) }),
    'csi driver',
    /needs a CSIDriver x\.csi/,
  ],
  [
    'an inline volume that the driver does not take',
    inlineInput({}, { csiDriver: seen(csiDriver({ volumeLifecycleModes: undefined })) }),
    'csi driver',
    /no Ephemeral/,
  ],
  [
    'a persistent volume that the driver does not take',
    input({ csiDriver: seen(csiDriver({ volumeLifecycleModes: ['Ephemeral'] })) }),
    'csi driver',
    /no Persistent/,
  ],
  [
    'the CSIDriver of another driver',
    input({ csiDriver: seen({ ...csiDriver(), metadata: { name: 'y.csi' } }) }),
    'csi driver',
    /its driver is now x\.csi/,
  ],
  ['an unknown kubelet', input({ kubeletVersion: seen('') }), 'kubelet version', /1\.23 or later/],
  ['a kubelet too old', input({ kubeletVersion: seen('v1.22.17') }), 'kubelet version', /v1\.22\.17/],
  [
    'an attachment that cannot be read',
    input({ csiDriver: attached, attachment: unseen('not found') }),
    'publish_context',
    /not found/,
  ],
  ['an attachment that nobody read', input({ csiDriver: attached }), 'publish_context', /was not read/],
  [
    'a volume that is not attached',
    input({
      csiDriver: attached,
      attachment: seen({ spec: { attacher: 'x', nodeName: 'w', source: {} }, status: { attached: false } }),
    }),
    'publish_context',
    /is not attached/,
  ],
  [
    'a publish secret that cannot be read',
    input({ persistentVolume: publishSecret, publishSecret: unseen(noRight) }),
    'secrets (publish)',
    /no right to get secrets/,
  ],
  [
    'a stage secret that cannot be read',
    input({
      capabilities: new Set(['STAGE_UNSTAGE_VOLUME']),
      persistentVolume: stageSecret,
      stageSecret: unseen(noRight),
    }),
    'secrets (stage)',
    /no right to get secrets/,
  ],
  [
    'a secret that is no text',
    input({
      persistentVolume: publishSecret,
      publishSecret: seen({ key: new Secret(Uint8Array.of(0xc3, 0x28)) }),
    }),
    'secrets',
    /value of key is not text/,
  ],
  [
    'tokens that cannot be had',
    input({
      csiDriver: seen(csiDriver({ tokenRequests: [{ audience: 'a' }] })),
      tokens: unseen('no right to create serviceaccounts/token'),
    }),
    'volume_context (tokens)',
    /no right to create serviceaccounts\/token/,
  ],
  [
    'an unknown access mode',
    input({ persistentVolume: seen(persistentVolume({ accessModes: ['Sometimes'] })) }),
    'volume_capability.access_mode',
    /Sometimes/,
  ],
  [
    'an unknown fsGroupPolicy',
    input({
      pod: seen(pod({ securityContext: { fsGroup: 1 } })),
      csiDriver: seen(csiDriver({ fsGroupPolicy: 'Odd' })),
    }),
    'ownership',
    /Odd/,
  ],
  [
    'a driver that mounts with SELinux contexts, and no vol_data.json',
    input({ csiDriver: labels, volData: unseen('it was not found') }),
    selinux,
    /not found/,
  ],
  [
    'a context that the CSIDriver no longer asks for',
    input({ volData: labelled('system_u:object_r:container_file_t:s0') }),
    'volume_capability.mount.mount_flags',
    /says no seLinuxMount/,
  ],
  [
    'a context with characters that no context has',
    input({ csiDriver: labels, volData: labelled('a"b') }),
    'volume_capability.mount.mount_flags',
    /no context has/,
  ],
];

describe('a replay is refused', () => {
  for (const [says, given, field, why] of refusals) {
    it(`for ${says}`, () => {
      const replay = replayOf(given);
      assert(replay.kind === 'refused', JSON.stringify(replay));
      assert.equal(replay.field, field);
      assert.match(replay.why, why);
    });
  }

  const keys = ['specVolID', 'volumeHandle', 'driverName', 'nodeName', 'attachmentID', 'volumeLifecycleMode'];
  for (const key of keys) {
    it(`when vol_data.json has another ${key}`, () => {
      const replay = replayOf(input({ volData: seen({ [key]: 'another' }) }));
      assert(replay.kind === 'refused');
      assert.equal(replay.field, `vol_data.json ${key}`);
      assert.match(replay.why, /kubelet published another, the objects now say/);
    });
  }

  it('not for what an older kubelet did not write, nor for a missing vol_data.json', () => {
    requested(replayOf(input({ volData: seen({ volumeHandle: 'handle' }) })));
    requested(replayOf(input({ volData: unseen('it was not found') })));
  });
});
