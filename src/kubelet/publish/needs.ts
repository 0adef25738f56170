import type { ObjectKey } from '../../model/ids.ts';
import { type CsiDriverObject, driverSpec, type VolumeObjects } from './input.ts';
import { Refusal } from './request.ts';
import { sha256, type Volume, volumeOf } from './volume.ts';

export type TokenRequestSpec = NonNullable<CsiDriverObject['spec']['tokenRequests']>[number];

/** What else the request is made of, by the volume and its driver. */
export interface Needs {
  /** Name of the VolumeAttachment. */
  readonly attachment?: string;
  readonly stageSecret?: ObjectKey;
  readonly publishSecret?: ObjectKey;
  /** Audiences of the tokens; empty where there are none. */
  readonly tokens: readonly TokenRequestSpec[];
}

/** getAttachmentName of csi_attacher.go. */
export const attachmentNameOf = (handle: string, driver: string, node: string) =>
  `csi-${sha256(`${handle}${driver}${node}`)}`;

export const attachmentName = ({ handle, driver }: Volume, node: string) =>
  attachmentNameOf(handle, driver, node);

/** Kubelet stages with the capability only, and no inline volume (CanDeviceMount of csi_plugin.go). */
export const isStaged = ({ capabilities }: VolumeObjects, { lifecycle }: Volume) =>
  lifecycle === 'Persistent' && capabilities.has('STAGE_UNSTAGE_VOLUME');

/** What to read besides the volume's own objects; undefined where these are not complete: `replayOf` says why. */
export function needsOf(objects: VolumeObjects): Needs | undefined {
  try {
    return volumeNeeds(objects, volumeOf(objects));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** @throws Refusal */
export function volumeNeeds(objects: VolumeObjects, volume: Volume): Needs {
  const spec = driverSpec(objects);
  // skipAttach of csi_plugin.go: without a CSIDriver the volume is attached.
  const attached = volume.lifecycle === 'Persistent' && spec?.attachRequired !== false;
  return {
    ...(attached && { attachment: attachmentName(volume, objects.node) }),
    ...(volume.stageSecret && isStaged(objects, volume) && { stageSecret: volume.stageSecret }),
    ...(volume.publishSecret && { publishSecret: volume.publishSecret }),
    // publishVolumeForBlock of csi_block.go sends none.
    tokens: volume.block ? [] : (spec?.tokenRequests ?? []),
  };
}
