import { driverSpec, type Pod, type ReplayInput } from './input.ts';
import { type Ownership, Refusal } from './request.ts';
import type { Volume } from './volume.ts';

/** What kubelet itself does for the pod's fsGroup after the publish (SetUpAt and supportsFSGroup of csi_mounter.go). */
export function ownershipOf(input: ReplayInput, volume: Volume, pod: Pod): Ownership | undefined {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  if (fsGroup === undefined || volume.block || volume.readOnly) return undefined;
  if (input.capabilities.has('VOLUME_MOUNT_GROUP') || !isApplied(input, volume)) return undefined;
  const changePolicy = fsGroupChangePolicy === 'OnRootMismatch' ? 'OnRootMismatch' : 'Always';
  return { gid: fsGroup, changePolicy };
}

function isApplied(input: ReplayInput, volume: Volume): boolean {
  const policy = driverSpec(input)?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  switch (policy) {
    case 'None':
      return false;
    case 'File':
      return true;
    case 'ReadWriteOnceWithFSType':
      return volume.fsType !== '' && isForOneNode(volume);
    default:
      throw new Refusal('ownership', `fsGroupPolicy ${policy} of the CSIDriver is not known`);
  }
}

const isForOneNode = ({ lifecycle, accessModes }: Volume) =>
  lifecycle === 'Ephemeral' ||
  accessModes.includes('ReadWriteOnce') ||
  accessModes.includes('ReadWriteOncePod');
