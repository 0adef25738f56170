import type { NodeView } from '../diagnose/view.ts';
import type { RepairSpec, Unit } from '../plan/repair-spec.ts';
import type { EventObject, NodePort } from './ports.ts';

/** What a repair is handed: the unit, the node as it was seen a moment ago, and the hands to work on it. */
export interface Work {
  readonly unit: Unit;
  readonly view: NodeView;
  readonly node: NodePort;
  readonly signal: AbortSignal;
  /** Tells a person who watches what is done now. */
  progress(does: string): void;
  /** Tells the user something although the repair went well. */
  note(text: string): void;
}

/** The repair found that it must not begin: nothing was touched. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A repair failed, and something has neither its old state nor the new one. */
export class LeftError extends Error {
  override readonly name = 'LeftError';
  /** What is left, and how. */
  readonly left: readonly string[];

  constructor(message: string, left: readonly string[]) {
    super(message);
    this.left = left;
  }
}

/** How a repair is taken back after its verify failed, or why there is nothing to take back. */
export type Undo = { readonly nothing: string } | ((work: Work) => Promise<void>);

/** The event that tells of a repair, where it is not one of a registration or a volume. */
export interface RepairEvent {
  readonly done: string;
  readonly failed: string;
  /** Objects that get it besides the node. */
  readonly about: readonly EventObject[];
}

export interface Repair extends RepairSpec {
  readonly event?: RepairEvent;
  /**
   * @throws RefusedError before anything was touched; BrokenError when the connection to the node broke; else an error
   * that says what could not be done: what was done until then is for `undo`
   */
  act(work: Work): Promise<void>;
  /** Waits until the finding is gone by kubelet's or the kernel's own word. @returns what is still wrong, or undefined */
  verify(work: Work): Promise<string | undefined>;
  /**
   * After the connection broke: waits until what goes on by itself on the node has ended.
   * @returns what has neither its old state nor the new one
   */
  settle?(work: Work): Promise<readonly string[]>;
  /** What stays as it was although the repair was verified. */
  notes?(work: Work): Promise<readonly string[]>;
  readonly undo: Undo;
}

export const defineRepair = (repair: Repair): Repair => repair;
