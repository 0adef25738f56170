import type { V1Pod } from '@kubernetes/client-node';
import type { NodeView } from '../diagnose/view.ts';
import type { NodeCapability, PublishRequest, Replay, StageRequest } from '../kubelet/publish/index.ts';
import type { Wire } from '../kubelet/wire.ts';
import type { HostPath, NodeName, ObjectKey } from '../model/ids.ts';
import type { VolumeUse } from '../model/snapshot.ts';
import type { AgentRecord } from '../protocol/protocol.gen.ts';

/** One node, as far as a repair may touch it. */
export interface NodePort {
  readonly name: NodeName;
  readonly run: string;
  /** Runs one agent command there. @throws AgentError when the agent refuses */
  agent(args: readonly string[]): Promise<readonly AgentRecord[]>;
  /** Starts an agent command that waits for a word once it has written `count` records of a kind. */
  converse(
    args: readonly string[],
    waits: { readonly kind: AgentRecord['kind']; readonly count: number },
  ): Promise<ConversationPort>;
  /** The driver behind a CSI socket on the node, in kubelet's view. */
  driver(kubeletPid: number, endpoint: HostPath): Promise<DriverPort>;
  /** Lets go of the connection to a socket whose driver is to be restarted. */
  forgetDriver(endpoint: HostPath): Promise<void>;
  /** Builds the requests that kubelet would send for a volume, from the API server's objects of this moment. */
  replay(use: VolumeUse, facts: ReplayFacts): Promise<Replay>;
  /** Deletes a pod with its own grace period; a pod of the same name with another UID is left alone. */
  deletePod(key: ObjectKey, uid: string): Promise<void>;
  /** Undefined where there is none. */
  pod(key: ObjectKey): Promise<Wire<V1Pod> | undefined>;
  createPod(pod: Wire<V1Pod>): Promise<void>;
  /** Asks the API server only: CSINode, kubelet's metrics, pods. */
  look(): Promise<NodeView>;
  /**
   * Asks the API server and the agent.
   * @param maxAgeMs milliseconds; what was seen so recently serves again, if nothing was done on the node since
   */
  observe(maxAgeMs?: number): Promise<NodeView>;
  /** Looks at mounts and pods only, in a fraction of the time; the rest is what the last whole look saw. */
  observeVolumes(): Promise<NodeView>;
}

export interface ConversationPort {
  readonly opening: readonly AgentRecord[];
  say(word: 'commit' | 'rollback'): Promise<readonly AgentRecord[]>;
  close(): void;
}

/** What the requests need besides the API server's objects. */
export interface ReplayFacts {
  readonly kubeletRoot: HostPath;
  readonly capabilities: ReadonlySet<NodeCapability>;
  /** The text of vol_data.json; undefined where there is none. */
  readonly volData: string | undefined;
}

/** The calls of a driver's node service, with kubelet's time limits. Errors are in gRPC's words. */
export interface DriverPort {
  probe(signal: AbortSignal): Promise<boolean>;
  capabilities(signal: AbortSignal): Promise<ReadonlySet<NodeCapability>>;
  stage(request: StageRequest, signal: AbortSignal): Promise<void>;
  publish(request: PublishRequest, signal: AbortSignal): Promise<void>;
  unpublish(request: Pick<PublishRequest, 'volumeId' | 'targetPath'>, signal: AbortSignal): Promise<void>;
  unstage(request: Pick<StageRequest, 'volumeId' | 'stagingTargetPath'>, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The world around a run: leases and events. */
export interface WorldPort {
  /** Opens a node for repair, alone: nobody else heals it meanwhile. @throws Error that says who does */
  admit(node: NodeName): Promise<Admitted>;
  record(involved: EventObject, event: ObjectEvent): Promise<void>;
}

export interface Admitted {
  readonly port: NodePort;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

export interface EventObject {
  readonly kind: 'Node' | 'Pod' | 'DaemonSet';
  readonly name: string;
  readonly namespace?: string;
}

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
