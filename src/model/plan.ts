import type { Finding } from './finding.ts';
import type { NodeName } from './ids.ts';

/** `safe`: no process ends. `disruptive`: a process ends and comes back. `destructive`: something is lost. */
export type Risk = 'safe' | 'disruptive' | 'destructive';

export const risks: readonly Risk[] = ['safe', 'disruptive', 'destructive'];

export const riskAtMost = (risk: Risk, limit: Risk) => risks.indexOf(risk) <= risks.indexOf(limit);

/** What is to be done, as data that `--dry-run` prints and `run` takes. */
export interface Plan {
  readonly version: 1;
  readonly maxRisk: Risk;
  readonly steps: readonly Step[];
  /** Findings for which nothing will be done, and why. */
  readonly refusals: readonly Refusal[];
}

/** Findings that are repaired as one unit, and the ladder of repairs for them, gentlest first. */
export interface Step {
  readonly node: NodeName;
  readonly findings: readonly Finding[];
  readonly rungs: readonly Rung[];
}

export interface Rung {
  /** The repair's id, which is its file's name. */
  readonly repair: string;
  readonly risk: Risk;
  readonly does: string;
  /** What becomes of each thing that it concerns; absent where one sentence says all. */
  readonly details?: readonly string[];
  /** Why this rung is not tried; absent when it is. */
  readonly barred?: string;
}

export interface Refusal {
  readonly finding: Finding;
  readonly why: string;
}
