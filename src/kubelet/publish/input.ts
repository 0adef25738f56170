import type {
  V1CSIDriver,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1VolumeAttachment,
} from '@kubernetes/client-node';
import type { HostPath, NodeName } from '../../model/ids.ts';
import type { Observed } from '../../model/observed.ts';
import type { VolumeUse } from '../../model/snapshot.ts';
import type { VolumeData } from '../volume-data.ts';
import type { Wire } from '../wire.ts';
import { type NodeCapability, Refusal } from './request.ts';
import type { Secret } from './secret.ts';

export type Pod = Wire<V1Pod>;
export type Claim = Wire<V1PersistentVolumeClaim>;
export type PersistentVolume = Wire<V1PersistentVolume>;
export type CsiDriverObject = Wire<V1CSIDriver>;
export type Attachment = Wire<V1VolumeAttachment>;

/** The values of a Secret object by key: bytes, as the object holds them. */
export type SecretData = Readonly<Record<string, Secret<Uint8Array>>>;

/** What TokenRequest answered for one audience. */
export interface AudienceToken {
  /** As the CSIDriver names it; empty for the API server's own. */
  readonly audience: string;
  readonly token: Secret<string>;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Which volume of which pod is meant. */
export type UsedVolume = Pick<
  VolumeUse,
  'pod' | 'podUid' | 'volume' | 'driver' | 'claim' | 'persistentVolume'
>;

/** The objects that say what volume it is. */
export interface VolumeObjects {
  readonly use: UsedVolume;
  readonly node: NodeName;
  /** The version of the node's kubelet, such as `v1.34.4`. */
  readonly kubeletVersion: Observed<string>;
  /** Node service capabilities that the driver answered. */
  readonly capabilities: ReadonlySet<NodeCapability>;
  readonly pod: Observed<Pod>;
  /** Absent for an inline volume, as the PersistentVolume is. */
  readonly claim?: Observed<Claim>;
  readonly persistentVolume?: Observed<PersistentVolume>;
  /** Undefined where there is no such object: kubelet takes a persistent volume's defaults then. */
  readonly csiDriver: Observed<CsiDriverObject | undefined>;
}

/** All that kubelet's request is made of. Absent is what the volume does not need (see `needsOf`). */
export interface ReplayInput extends VolumeObjects {
  readonly kubeletRoot: HostPath;
  /** vol_data.json beside the published volume. */
  readonly volData: Observed<VolumeData>;
  readonly attachment?: Observed<Attachment>;
  readonly stageSecret?: Observed<SecretData>;
  readonly publishSecret?: Observed<SecretData>;
  readonly tokens?: Observed<readonly AudienceToken[]>;
}

/** The value, or the refusal that names the field which depends on it. */
export function known<T>(observed: Observed<T> | undefined, field: string): T {
  if (observed === undefined) throw new Refusal(field, 'it was not read');
  if (!observed.seen) throw new Refusal(field, observed.why);
  return observed.value;
}

/** The CSIDriver's spec; undefined where there is no such object. @throws Refusal */
export const driverSpec = ({ csiDriver }: VolumeObjects): CsiDriverObject['spec'] | undefined =>
  known(csiDriver, 'csi driver')?.spec;
