import type { NodeView } from '../diagnose/view.ts';
import type { NodeName } from '../model/ids.ts';
import type { AgentRecord } from '../protocol/protocol.gen.ts';

/** One node, as far as a repair may touch it. */
export interface NodePort {
  readonly name: NodeName;
  readonly run: string;
  /** Runs one agent command there. @throws AgentError when the agent refuses */
  agent(args: readonly string[]): Promise<readonly AgentRecord[]>;
  /** Asks the API server only: CSINode, kubelet's metrics, pods. */
  look(): Promise<NodeView>;
  /** Asks the API server and the agent. */
  observe(): Promise<NodeView>;
}

/** The world around a run: leases and events. */
export interface WorldPort {
  /** Opens a node for repair, alone: nobody else heals it meanwhile. @throws Error that says who does */
  admit(node: NodeName): Promise<Admitted>;
  record(node: NodeName, event: NodeEvent): Promise<void>;
}

export interface Admitted {
  readonly port: NodePort;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
