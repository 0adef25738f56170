import type { NodeView } from '../diagnose/view.ts';
import type { RepairSpec, Unit } from '../plan/repair-spec.ts';
import type { NodePort } from './ports.ts';

/** What a repair is handed: the unit, the node as it was seen a moment ago, and the hands to work on it. */
export interface Work {
  readonly unit: Unit;
  readonly view: NodeView;
  readonly node: NodePort;
  readonly signal: AbortSignal;
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

export interface Repair extends RepairSpec {
  /** @throws when it could not do what it says; what it did until then is for `undo` */
  act(work: Work): Promise<void>;
  /** Waits until the finding is gone by kubelet's or the kernel's own word. @returns what is still wrong, or undefined */
  verify(work: Work): Promise<string | undefined>;
  /** What stays as it was although the repair was verified. */
  notes?(work: Work): Promise<readonly string[]>;
  readonly undo: Undo;
}

export const defineRepair = (repair: Repair): Repair => repair;
