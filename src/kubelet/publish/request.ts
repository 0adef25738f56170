import type { HostPath } from '../../model/ids.ts';
import type { Parameters } from './secret.ts';

/** `VolumeCapability.AccessMode.Mode` of the CSI specification. */
export type AccessMode =
  | 'SINGLE_NODE_WRITER'
  | 'SINGLE_NODE_READER_ONLY'
  | 'MULTI_NODE_READER_ONLY'
  | 'MULTI_NODE_SINGLE_WRITER'
  | 'MULTI_NODE_MULTI_WRITER'
  | 'SINGLE_NODE_SINGLE_WRITER'
  | 'SINGLE_NODE_MULTI_WRITER';

/** `NodeServiceCapability.RPC.Type` of the CSI specification, as far as kubelet's requests depend on it. */
export type NodeCapability =
  | 'STAGE_UNSTAGE_VOLUME'
  | 'GET_VOLUME_STATS'
  | 'EXPAND_VOLUME'
  | 'VOLUME_CONDITION'
  | 'SINGLE_NODE_MULTI_WRITER'
  | 'VOLUME_MOUNT_GROUP'
  | 'GET_VOLUME_HEALTH'
  | 'GET_STORAGE_HEALTH';

export type VolumeCapability = { readonly accessMode: AccessMode } & (
  | { readonly kind: 'block' }
  | {
      readonly kind: 'mount';
      /** Empty where nobody named one: the driver chooses. */
      readonly fsType: string;
      readonly mountFlags: readonly string[];
      /** The pod's fsGroup, where the driver applies it. */
      readonly volumeMountGroup?: string;
    }
);

/** `NodeStageVolumeRequest` of the CSI specification. */
export interface StageRequest {
  readonly volumeId: string;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly stagingTargetPath: HostPath;
  readonly volumeCapability: VolumeCapability;
  readonly secrets: Parameters;
  readonly volumeContext: Parameters;
}

/** `NodePublishVolumeRequest` of the CSI specification. */
export interface PublishRequest {
  readonly volumeId: string;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly stagingTargetPath?: HostPath;
  readonly targetPath: HostPath;
  readonly volumeCapability: VolumeCapability;
  readonly readonly: boolean;
  readonly secrets: Parameters;
  /** Service account tokens in it are secret. */
  readonly volumeContext: Parameters;
}

/** Kubelet's own work after the publish: group and group bits of every file (pkg/volume/volume_linux.go). */
export interface Ownership {
  readonly gid: number;
  /** `OnRootMismatch`: nothing is done where the volume's root has group and bits already. */
  readonly changePolicy: 'Always' | 'OnRootMismatch';
}

export type Replay =
  | {
      readonly kind: 'request';
      /** Absent where kubelet does not stage the volume. */
      readonly stage?: StageRequest;
      readonly publish: PublishRequest;
      /** Absent where kubelet leaves ownership alone. */
      readonly ownership?: Ownership;
    }
  | {
      readonly kind: 'refused';
      /** What cannot be known: a field of the CSI request, an object of the API, or a key of vol_data.json. */
      readonly field: string;
      readonly why: string;
    };

/** A part of the request cannot be known. */
export class Refusal extends Error {
  readonly field: string;

  constructor(field: string, why: string) {
    super(why);
    this.field = field;
  }
}
