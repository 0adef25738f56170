import {
  flags,
  fsType,
  group,
  inline,
  mode,
  type PersistentCase,
  type PublishCase,
  persistent,
} from './define-case.ts';
import { otherNamespace } from './objects.ts';

const secret = (name: string, namespace = 'default') => ({ name, namespace });
const fsGroup = (changePolicy?: string) => ({
  securityContext: { fsGroup: 4711, ...(changePolicy && { fsGroupChangePolicy: changePolicy }) },
});
const always = { gid: 4711, changePolicy: 'Always' } as const;
const once = ['ReadWriteOnce'];
const many = ['ReadWriteMany'];
const oddHandle = 's3://bucket with spaces/ünïcode-Ωλ-🪣/a=b&c?d#e\'"\\';
const longHandle = Array.from({ length: 10 }, (_, index) => String(index).repeat(99)).join('/');

const accessModes: readonly PublishCase[] = [
  {
    id: 'rwo',
    says: 'ReadWriteOnce',
    driver: 'plain',
    volume: persistent(),
    shows: { [mode]: 'SINGLE_NODE_WRITER' },
  },
  {
    id: 'rwx',
    says: 'ReadWriteMany',
    driver: 'plain',
    volume: persistent({ accessModes: many }),
    shows: { [mode]: 'MULTI_NODE_MULTI_WRITER' },
  },
  {
    id: 'rox',
    says: 'ReadOnlyMany',
    driver: 'staged',
    volume: persistent({ accessModes: ['ReadOnlyMany'] }),
    shows: { [mode]: 'MULTI_NODE_READER_ONLY', readonly: undefined },
  },
  {
    id: 'rwop',
    says: 'ReadWriteOncePod without SINGLE_NODE_MULTI_WRITER',
    driver: 'staged',
    volume: persistent({ accessModes: ['ReadWriteOncePod'] }),
    shows: { [mode]: 'SINGLE_NODE_WRITER' },
  },
  {
    id: 'first-mode',
    says: 'the first of several access modes',
    driver: 'staged',
    volume: persistent({ accessModes: ['ReadWriteMany', 'ReadWriteOnce'] }),
    shows: { [mode]: 'MULTI_NODE_MULTI_WRITER' },
  },
  {
    id: 'snmw-rwo',
    says: 'ReadWriteOnce with SINGLE_NODE_MULTI_WRITER',
    driver: 'capable',
    volume: persistent(),
    shows: { [mode]: 'SINGLE_NODE_MULTI_WRITER' },
  },
  {
    id: 'snmw-rwop',
    says: 'ReadWriteOncePod with SINGLE_NODE_MULTI_WRITER',
    driver: 'capable',
    volume: persistent({ accessModes: ['ReadWriteOncePod'] }),
    shows: { [mode]: 'SINGLE_NODE_SINGLE_WRITER' },
  },
];

const options: readonly PublishCase[] = [
  {
    id: 'claim-readonly',
    says: 'read-only by the claim source',
    driver: 'staged',
    volume: persistent({ source: { readOnly: true } }),
    shows: { readonly: true },
  },
  {
    id: 'pv-readonly',
    says: 'read-only by the PersistentVolume alone, which kubelet ignores',
    driver: 'staged',
    volume: persistent({ csi: { readOnly: true } }),
    shows: { readonly: undefined },
  },
  {
    id: 'options',
    says: 'mount options',
    driver: 'plain',
    volume: persistent({ spec: { mountOptions: ['noexec', 'nosuid'] } }),
    shows: { [flags]: ['noexec', 'nosuid'] },
  },
  {
    id: 'staged-options',
    says: 'mount options, staged',
    driver: 'staged',
    volume: persistent({ spec: { mountOptions: ['nodev'] } }),
    shows: { [flags]: ['nodev'] },
  },
  {
    id: 'fs-type',
    says: 'a file system type',
    driver: 'staged',
    volume: persistent({ csi: { fsType: 'ext4' } }),
    shows: { [fsType]: 'ext4' },
  },
  {
    id: 'no-fs-type',
    says: 'no file system type',
    driver: 'staged',
    volume: persistent(),
    shows: { [fsType]: undefined },
  },
  {
    id: 'fs-type-block',
    says: 'a file system type named block, which asks for a device',
    driver: 'plain',
    volume: persistent({ csi: { fsType: 'block' } }),
    shows: { 'volumeCapability.block': {}, 'volumeCapability.mount': undefined },
  },
  {
    id: 'attributes',
    says: 'volume attributes with odd characters',
    driver: 'staged',
    volume: persistent({
      csi: { volumeAttributes: { 'key with space/ü': 'ü 🪣\n\t"\\', empty: '', long: 'x'.repeat(1000) } },
    }),
    shows: { volumeContext: { 'key with space/ü': 'ü 🪣\n\t"\\', empty: '', long: 'x'.repeat(1000) } },
  },
  {
    id: 'odd-handle',
    says: 'a handle with slashes, spaces, unicode and quotes',
    driver: 'staged',
    volume: persistent({ handle: oddHandle }),
    shows: { volumeId: oddHandle },
  },
  {
    id: 'long-handle',
    says: 'a handle of about 1,000 characters',
    driver: 'attached',
    volume: persistent({ handle: longHandle }),
    attachmentMetadata: {},
    shows: { volumeId: longHandle },
  },
  {
    id: 'dotted.name-of.a-volume-that-is-very-long-indeed-for-its-kind',
    says: 'a long name with dots',
    driver: 'staged',
    volume: persistent(),
    shows: { readonly: undefined },
  },
];

const secrets: readonly PublishCase[] = [
  {
    id: 'publish-secret',
    says: 'a publish secret from another namespace',
    driver: 'plain',
    volume: persistent({ csi: { nodePublishSecretRef: secret('odd', otherNamespace) } }),
    shows: { secrets: { 'a.b_c-D': 'ü\n🪣', empty: '', bom: '\ufeffx' } },
  },
  {
    id: 'both-secrets',
    says: 'a stage and a publish secret',
    driver: 'staged',
    volume: persistent({
      csi: { nodeStageSecretRef: secret('stage'), nodePublishSecretRef: secret('publish') },
    }),
    shows: { secrets: { key: 'publish-value' } },
  },
  {
    id: 'stage-secret-unstaged',
    says: 'a stage secret with a driver that does not stage',
    driver: 'plain',
    volume: persistent({ csi: { nodeStageSecretRef: secret('missing') } }),
    shows: { secrets: undefined },
  },
  {
    id: 'inline-secret',
    says: "an inline volume's secret in the pod's namespace",
    driver: 'plain',
    namespace: otherNamespace,
    volume: inline({ nodePublishSecretRef: { name: 'publish' } }),
    shows: { secrets: { key: 'other-value' } },
  },
];

const podInformation: readonly PublishCase[] = [
  {
    id: 'pod-info',
    says: 'pod information over attributes of the same name',
    driver: 'informed',
    volume: persistent({ csi: { volumeAttributes: { 'csi.storage.k8s.io/pod.name': 'mine', own: 'kept' } } }),
    shows: {
      'volumeContext.own': 'kept',
      'volumeContext.csi.storage.k8s.io/pod.name': 'pod-info',
      'volumeContext.csi.storage.k8s.io/ephemeral': 'false',
    },
  },
  {
    id: 'inline-info',
    says: 'pod information of an inline volume',
    driver: 'informed',
    namespace: otherNamespace,
    pod: { serviceAccountName: 'worker' },
    volume: inline({ volumeAttributes: { own: 'kept' } }),
    shows: {
      'volumeContext.csi.storage.k8s.io/ephemeral': 'true',
      'volumeContext.csi.storage.k8s.io/serviceAccount.name': 'worker',
      stagingTargetPath: undefined,
    },
    requests: ['publish'],
  },
  {
    id: 'ephemeral-info',
    says: 'pod information of a generic ephemeral volume',
    driver: 'informed',
    volume: { kind: 'ephemeral', csi: { volumeAttributes: { own: 'kept' } } },
    shows: { 'volumeContext.csi.storage.k8s.io/ephemeral': 'false', 'volumeContext.own': 'kept' },
  },
  {
    id: 'inline',
    says: 'an inline volume, read-only, with type and attributes',
    driver: 'plain',
    volume: inline({ readOnly: true, fsType: 'xfs', volumeAttributes: { share: '//host/a b' } }),
    shows: { readonly: true, [fsType]: 'xfs', [mode]: 'SINGLE_NODE_WRITER' },
  },
  {
    id: 'inline-capable',
    says: 'an inline volume with SINGLE_NODE_MULTI_WRITER and VOLUME_MOUNT_GROUP',
    driver: 'capable',
    pod: fsGroup(),
    volume: inline({ volumeAttributes: { 'csi.storage.k8s.io/ephemeral': 'true' } }),
    shows: { [mode]: 'SINGLE_NODE_MULTI_WRITER', [group]: '4711' },
    requests: ['publish'],
  },
  {
    id: 'tokens',
    says: 'service account tokens',
    driver: 'tokens',
    volume: persistent({ csi: { volumeAttributes: { own: 'kept' } } }),
    shows: { 'volumeContext.own': 'kept' },
  },
  {
    id: 'inline-tokens',
    says: "tokens of an inline volume for the pod's own service account",
    driver: 'tokens',
    namespace: otherNamespace,
    pod: { serviceAccountName: 'worker' },
    volume: inline(),
    shows: { 'volumeContext.csi.storage.k8s.io/serviceAccount.name': 'worker' },
  },
];

const typed: PersistentCase = persistent({ csi: { fsType: 'ext4' } });

const ownership: readonly PublishCase[] = [
  {
    id: 'group-typed',
    says: 'fsGroup, ReadWriteOnce and a file system type: kubelet applies it',
    driver: 'plain',
    pod: fsGroup(),
    volume: typed,
    shows: { [group]: undefined },
    ownership: always,
  },
  {
    id: 'group-mismatch',
    says: 'fsGroup on root mismatch',
    driver: 'staged',
    pod: fsGroup('OnRootMismatch'),
    volume: typed,
    shows: { [group]: undefined },
    ownership: { gid: 4711, changePolicy: 'OnRootMismatch' },
  },
  {
    id: 'group-untyped',
    says: 'fsGroup without a file system type: nobody applies it',
    driver: 'plain',
    pod: fsGroup(),
    volume: persistent({ accessModes: once }),
    shows: { [group]: undefined },
  },
  {
    id: 'group-many',
    says: 'fsGroup and ReadWriteMany: nobody applies it',
    driver: 'plain',
    pod: fsGroup(),
    volume: persistent({ accessModes: many, csi: { fsType: 'ext4' } }),
    shows: { [group]: undefined },
  },
  {
    id: 'group-readonly',
    says: 'fsGroup on a read-only volume: nobody applies it',
    driver: 'file',
    pod: fsGroup(),
    volume: persistent({ source: { readOnly: true } }),
    shows: { readonly: true },
  },
  {
    id: 'group-file',
    says: 'fsGroup, policy File: kubelet applies it whatever the volume',
    driver: 'file',
    pod: fsGroup('Always'),
    volume: persistent({ accessModes: many }),
    shows: { [mode]: 'MULTI_NODE_MULTI_WRITER' },
    ownership: always,
  },
  {
    id: 'group-none',
    says: 'fsGroup, policy None: nobody applies it',
    driver: 'none',
    pod: fsGroup(),
    volume: typed,
    shows: { [group]: undefined },
  },
  {
    id: 'group-inline',
    says: 'fsGroup of an inline volume with a file system type',
    driver: 'plain',
    pod: fsGroup(),
    volume: inline({ fsType: 'ext4' }),
    shows: { [fsType]: 'ext4' },
    ownership: always,
  },
  {
    id: 'group-delegated',
    says: 'fsGroup with VOLUME_MOUNT_GROUP: the driver applies it',
    driver: 'capable',
    pod: fsGroup(),
    volume: typed,
    shows: { [group]: '4711' },
  },
  {
    id: 'group-root',
    says: 'fsGroup 0 with VOLUME_MOUNT_GROUP',
    driver: 'capable',
    pod: { securityContext: { fsGroup: 0 } },
    volume: typed,
    shows: { [group]: '0' },
  },
];

const attachments: readonly PublishCase[] = [
  {
    id: 'attached',
    says: "the attachment's metadata",
    driver: 'attached',
    volume: persistent(),
    attachmentMetadata: { devicePath: '/dev/xvdba', 'odd key/ü': 'a "b"\n' },
    shows: { publishContext: { devicePath: '/dev/xvdba', 'odd key/ü': 'a "b"\n' } },
  },
  {
    id: 'attached-bare',
    says: 'an attachment without metadata',
    driver: 'attached',
    volume: persistent(),
    attachmentMetadata: {},
    shows: { publishContext: undefined },
  },
  {
    id: 'undeclared',
    says: 'a driver without a CSIDriver, attached, with fsGroup',
    driver: 'undeclared',
    pod: fsGroup(),
    volume: typed,
    attachmentMetadata: { lun: '7' },
    shows: { publishContext: { lun: '7' } },
    ownership: always,
  },
];

const block = { volumeMode: 'Block' };

const blocks: readonly PublishCase[] = [
  {
    id: 'block',
    says: 'a block volume that is not staged, with a staging path all the same',
    driver: 'plain',
    pod: fsGroup(),
    volume: persistent({ spec: block, csi: { nodePublishSecretRef: secret('publish') } }),
    shows: {
      'volumeCapability.block': {},
      stagingTargetPath: '/var/lib/kubelet/plugins/kubernetes.io/csi/volumeDevices/staging/block',
    },
  },
  {
    id: 'block-attached',
    says: 'staging an attached block volume',
    driver: 'attached',
    volume: persistent({ spec: block, csi: { nodeStageSecretRef: secret('stage') } }),
    attachmentMetadata: { devicePath: '/dev/sdb' },
    shows: { 'volumeCapability.block': {}, secrets: { key: 'stage-value' } },
    requests: ['stage'],
  },
  {
    id: 'block-tokens',
    says: 'a block volume gets pod information and no tokens',
    driver: 'tokens',
    volume: persistent({ spec: block }),
    shows: {
      'volumeContext.csi.storage.k8s.io/pod.name': 'block-tokens',
      'volumeContext.csi.storage.k8s.io/serviceAccount.tokens': undefined,
    },
  },
];

const shared: readonly PublishCase[] = [
  {
    id: 'shared',
    says: 'a second pod on a volume',
    driver: 'staged',
    volume: persistent({ accessModes: many, sharedWith: 'first-mode' }),
    shows: { [mode]: 'MULTI_NODE_MULTI_WRITER' },
  },
];

export const cases: readonly PublishCase[] = [
  ...accessModes,
  ...options,
  ...secrets,
  ...podInformation,
  ...ownership,
  ...attachments,
  ...blocks,
  ...shared,
];
