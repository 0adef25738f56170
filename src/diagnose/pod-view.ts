import type { LogLine } from '../model/evidence.ts';
import type { Observed } from '../model/observed.ts';
import type { Attachment, NodeObject, PodFacts, PodVolume } from '../model/pod.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { DriverView, NodeView, VolumeView } from './view.ts';

/**
 * `unscheduled`: it has no node. `starting`: a container waits for its volumes, or cannot be made. `ending`: it was
 * deleted and is still there. `ended`: it has done its work.
 */
export type PodCondition = 'unscheduled' | 'starting' | 'running' | 'ending' | 'ended';

/** One pod with all that its volumes hang on. */
export interface PodView {
  readonly facts: PodFacts;
  readonly condition: PodCondition;
  /** RFC 3339: when all this was so. */
  readonly at: string;
  readonly snapshot: Snapshot;
  /** Absent where the pod has no node, or its node no object. */
  readonly node?: NodeView;
  /** The node's own object. */
  readonly nodeObject?: Observed<NodeObject | undefined>;
  readonly volumes: readonly PodVolumeView[];
  /** Lines of kubelet's log that name the pod and tell of a failure, the newest last. */
  readonly log: Observed<readonly LogLine[]>;
}

export interface PodVolumeView {
  readonly volume: PodVolume;
  /** Its driver on the pod's node. */
  readonly driver?: DriverView;
  /** Whether it needs a VolumeAttachment. */
  readonly attaches: Observed<boolean>;
  /** The VolumeAttachments of its PersistentVolume, to any node. */
  readonly attachments: Observed<readonly Attachment[]>;
  /** What is on the node; undefined inside: kubelet has no folder for it. */
  readonly published: Observed<VolumeView | undefined>;
}
