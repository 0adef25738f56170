import type { Step } from './plan.ts';

/**
 * `repaired`: verified. `gone`: it was well before anything was done. `refused`: a re-check said no, nothing was done.
 * `undone`: it failed and each thing has its old state or the new one. `failed`: it failed and something is left.
 */
export type Result = 'repaired' | 'gone' | 'refused' | 'undone' | 'failed';

export interface Attempt {
  readonly repair: string;
  readonly result: Result;
  readonly detail: string;
  /** Milliseconds. */
  readonly took: number;
  /** True where it ended before it could look: a riskier repair has no ground then. */
  readonly blind?: boolean;
  /** What the user should know although it worked; absent where there is nothing. */
  readonly notes?: readonly string[];
}

export interface StepOutcome {
  readonly step: Step;
  readonly result: Result;
  readonly attempts: readonly Attempt[];
  /** What is left in a state that is neither old nor new; empty otherwise. */
  readonly left: readonly string[];
}

export interface Outcome {
  readonly run: string;
  readonly steps: readonly StepOutcome[];
  /** Why the run ended before its plan did; absent when it did not. */
  readonly stopped?: string;
}
