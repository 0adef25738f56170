import { driverSpec, known, type Pod, type ReplayInput } from './input.ts';
import { type AccessMode, Refusal, type VolumeCapability } from './request.ts';
import type { Volume } from './volume.ts';

/** asCSIAccessModeV1 and asSingleNodeMultiWriterCapableCSIAccessModeV1 of csi_client.go. */
const modes: Readonly<Record<string, readonly [plain: AccessMode, multiWriter: AccessMode]>> = {
  ReadWriteOnce: ['SINGLE_NODE_WRITER', 'SINGLE_NODE_MULTI_WRITER'],
  ReadWriteOncePod: ['SINGLE_NODE_WRITER', 'SINGLE_NODE_SINGLE_WRITER'],
  ReadOnlyMany: ['MULTI_NODE_READER_ONLY', 'MULTI_NODE_READER_ONLY'],
  ReadWriteMany: ['MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
};

/** Kubelet takes the first of the PersistentVolume's modes, and ReadWriteOnce for an inline volume. @throws Refusal */
export function accessMode({ capabilities }: ReplayInput, { accessModes }: Volume): AccessMode {
  const mode = accessModes[0] ?? 'ReadWriteOnce';
  const known = modes[mode];
  if (!known) throw new Refusal('volume_capability.access_mode', `access mode ${mode} is not known`);
  return known[capabilities.has('SINGLE_NODE_MULTI_WRITER') ? 1 : 0];
}

/**
 * The capability of a stage or publish request (NodeStageVolume and NodePublishVolume of csi_client.go).
 * A file system type `block` makes kubelet ask for a block device whatever the volume's mode is.
 * @throws Refusal
 */
export function volumeCapability(input: ReplayInput, volume: Volume, pod: Pod): VolumeCapability {
  const mode = accessMode(input, volume);
  if (volume.block || volume.fsType === 'block') return { accessMode: mode, kind: 'block' };
  const fsGroup = pod.spec?.securityContext?.fsGroup;
  const delegated = input.capabilities.has('VOLUME_MOUNT_GROUP') && fsGroup !== undefined;
  const context = seLinuxOption(input, volume);
  return {
    accessMode: mode,
    kind: 'mount',
    fsType: volume.fsType,
    mountFlags: [...volume.mountOptions, ...(context === undefined ? [] : [context])],
    ...(delegated && { volumeMountGroup: String(fsGroup) }),
  };
}

const flagsField = 'volume_capability.mount.mount_flags';

/**
 * The SELinux context that kubelet mounts with, as it wrote it down when it published: AddSELinuxMountOption of
 * pkg/volume/util/selinux.go. Inline volumes have none (VolumeSupportsSELinuxMount).
 */
function seLinuxOption(input: ReplayInput, volume: Volume): string | undefined {
  const supported = driverSpec(input)?.seLinuxMount ?? false;
  if (volume.lifecycle === 'Ephemeral' || (!supported && !input.volData.seen)) return undefined;
  const context = known(input.volData, `${flagsField} (SELinux context)`).seLinuxMountContext;
  if (!context) return undefined;
  if (!supported) {
    throw new Refusal(
      flagsField,
      `vol_data.json has SELinux context ${context}, and the CSIDriver says no seLinuxMount`,
    );
  }
  // Go's %q would escape anything else.
  if (!/^[ -~]+$/.test(context) || /["\\]/.test(context)) {
    throw new Refusal(flagsField, 'the SELinux context in vol_data.json has characters that no context has');
  }
  return `context="${context}"`;
}
