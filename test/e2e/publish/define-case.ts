import type { Ownership } from '../../../src/kubelet/publish/index.ts';
import type { DriverClass } from './drivers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A volume of a pod, and what kubelet's request for it must show so that the case is about what it says. */
export interface PublishCase {
  /** Name of the objects. */
  readonly id: string;
  readonly says: string;
  readonly driver: DriverClass;
  readonly volume: PersistentCase | InlineCase;
  /** Fields of the pod's spec. */
  readonly pod?: Fields;
  readonly namespace?: string;
  /** What the attacher answers for the volume. */
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  /** Values of the recorded publish request (the stage request where the driver publishes nothing), by path. */
  readonly shows: Fields;
  /** The requests that reach the driver; both by default where it stages, else `publish`. */
  readonly requests?: readonly Method[];
  /** Kubelet's own work on the volume's root. */
  readonly ownership?: Ownership;
}

export type Method = 'stage' | 'publish';

export interface PersistentCase {
  readonly kind: 'persistent' | 'ephemeral';
  readonly handle?: string;
  readonly accessModes?: readonly string[];
  /** Fields of the PersistentVolume's `csi`. */
  readonly csi?: Fields;
  /** Fields of the PersistentVolume's spec. */
  readonly spec?: Fields;
  /** Fields of the pod's claim source. */
  readonly source?: Fields;
  /** The PersistentVolume of this other case, with its claim. */
  readonly sharedWith?: string;
}

export interface InlineCase {
  readonly kind: 'inline';
  /** Fields of the pod's `csi` source. */
  readonly csi?: Fields;
}

export const persistent = (fields: Omit<PersistentCase, 'kind'> = {}): PersistentCase => ({
  kind: 'persistent',
  ...fields,
});
export const inline = (csi: Fields = {}): InlineCase => ({ kind: 'inline', csi });

/** Paths into a recorded request. */
export const mode = 'volumeCapability.accessMode.mode';
export const fsType = 'volumeCapability.mount.fsType';
export const flags = 'volumeCapability.mount.mountFlags';
export const group = 'volumeCapability.mount.volumeMountGroup';
