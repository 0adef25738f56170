import type { DriverName, NodeName, ObjectKey } from './ids.ts';
import type { Observed } from './observed.ts';

/** What the API server says of one pod and of all that its volumes hang on. Read only when a pod is asked for. */
export interface PodFacts {
  readonly key: ObjectKey;
  readonly uid: string;
  /** Names the pod's folder on the node: a static pod's is not the API's. */
  readonly kubeletUid: string;
  readonly node?: NodeName;
  readonly phase: string;
  /** `status.reason`: Evicted, NodeLost. */
  readonly reason?: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The end of its grace period, RFC 3339; present once somebody deleted it. */
  readonly endsAt?: string;
  readonly finalizers: readonly string[];
  readonly schedulingGates: readonly string[];
  /** The scheduler's message while it finds no node. */
  readonly unschedulable?: string;
  readonly containers: readonly PodContainer[];
  readonly volumes: readonly PodVolume[];
  /** Of the pod and of its claims, the oldest first. */
  readonly events: Observed<readonly PodEvent[]>;
  /** Of the pod's PersistentVolumes, to any node. */
  readonly attachments: Observed<readonly Attachment[]>;
  /** The pod's node, and those that its volumes are attached to. */
  readonly nodes: readonly NodeState[];
}

export interface PodContainer {
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'terminated';
  /** CreateContainerError, CrashLoopBackOff, Completed; empty where kubelet says nothing. */
  readonly reason: string;
  readonly message: string;
  /** The runtime's id without its `containerd://`. */
  readonly containerId: string;
}

/** A volume of the pod that is, or may be, a CSI driver's. */
export interface PodVolume {
  /** In the pod. */
  readonly name: string;
  readonly kind: 'persistent' | 'inline' | 'ephemeral';
  readonly claimKey?: ObjectKey;
  /** Undefined inside: there is no such object. The same for the volume and the class. */
  readonly claim?: Observed<ClaimFacts | undefined>;
  readonly persistentVolume?: Observed<PersistentVolumeFacts | undefined>;
  readonly storageClass?: Observed<StorageClassFacts | undefined>;
  /** Absent while no volume is bound, and for a volume of no CSI driver. */
  readonly driver?: DriverName;
  readonly handle?: string;
}

export interface ClaimFacts {
  readonly uid: string;
  readonly phase: string;
  readonly volumeName?: string;
  /** Absent: none was asked for and no default was filled in. Empty: none is wanted. */
  readonly storageClass?: string;
  readonly accessModes: readonly string[];
  readonly deleting: boolean;
  /** UIDs of its owners. */
  readonly owners: readonly string[];
  /** The node that the scheduler chose, for a class that waits for its first consumer. */
  readonly selectedNode?: string;
}

export interface PersistentVolumeFacts {
  readonly name: string;
  readonly phase: string;
  readonly accessModes: readonly string[];
  readonly block: boolean;
  readonly deleting: boolean;
  /** The kind of volume where it is no CSI driver's: nfs, hostPath. */
  readonly otherSource?: string;
  readonly claim?: ObjectKey & { readonly uid: string };
}

export interface StorageClassFacts {
  readonly name: string;
  readonly provisioner: string;
  readonly waitsForConsumer: boolean;
}

/** A VolumeAttachment. */
export interface Attachment {
  readonly name: string;
  readonly driver: DriverName;
  readonly node: NodeName;
  readonly persistentVolume: string;
  readonly attached: boolean;
  /** The external-attacher has put its finalizer on it: it has seen the object. */
  readonly takenUp: boolean;
  readonly attachError?: string;
  readonly detachError?: string;
  readonly createdAt: string;
  /** Since when it is to go. */
  readonly deletingSince?: string;
  /** Pods on its node that use the volume. Not looked for on the pod's own node. */
  readonly users: Observed<readonly VolumeUser[]>;
}

/** Another pod that uses the volume. */
export interface VolumeUser {
  readonly pod: ObjectKey;
  readonly deleting: boolean;
  /** `kind/name` of its controlling owner. */
  readonly owner?: string;
}

export interface PodEvent {
  /** The claim's name for an event of a claim; absent for the pod's own. */
  readonly claim?: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** RFC 3339. */
  readonly lastAt: string;
}

/** A node, by its object. */
export interface NodeState {
  readonly name: NodeName;
  /** Undefined inside: there is no such node. */
  readonly object: Observed<NodeObject | undefined>;
}

export interface NodeObject {
  readonly ready: boolean;
  /** Why it is not, in the node controller's or kubelet's words. */
  readonly why: string;
  /** Since when it is as it is, RFC 3339. */
  readonly since: string;
  /** It has the taint node.kubernetes.io/out-of-service. */
  readonly outOfService: boolean;
  /** `status.volumesInUse`: attachable volumes that kubelet still has mounted. */
  readonly volumesInUse: readonly string[];
}
