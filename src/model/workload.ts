import type { ContainerPath, DriverName, ObjectKey } from './ids.ts';
import type { Observed } from './observed.ts';

/** An object that makes pods, or a pod that nobody makes. */
export interface WorkloadRef extends ObjectKey {
  readonly kind: string;
  /** `apps/v1`; absent where only the kind is known. */
  readonly apiVersion?: string;
  readonly uid?: string;
}

/** `Deployment/app` */
export const workloadText = ({ kind, name }: WorkloadRef) => `${kind}/${name}`;

/** A volume of a pod or pod template that a CSI driver mounts, or may mount. */
export interface CsiVolume {
  /** The volume's name in the pod. */
  readonly name: string;
  readonly kind: 'persistent' | 'inline' | 'ephemeral';
  /** Unseen where neither a bound claim nor its StorageClass tells it. */
  readonly driver: Observed<DriverName>;
  readonly claim?: ObjectKey;
  readonly persistentVolume?: string;
  readonly mountOptions: readonly string[];
}

/** A container of a pod or pod template with what it mounts of CSI volumes. */
export interface CsiContainer {
  readonly name: string;
  /** `init` ends before the app starts; `sidecar` is an init container that goes on beside it. */
  readonly role: 'init' | 'sidecar' | 'app';
  readonly mounts: readonly CsiMount[];
}

export interface CsiMount {
  readonly volume: CsiVolume;
  readonly path: ContainerPath;
  readonly subPath: boolean;
  readonly readOnly: boolean;
  readonly propagation: 'None' | 'HostToContainer' | 'Bidirectional';
}
