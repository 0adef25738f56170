import type { NodeView } from '../diagnose/view.ts';
import type { Finding } from '../model/finding.ts';
import type { NodeName } from '../model/ids.ts';
import type { Risk } from '../model/plan.ts';

/** Findings that are repaired together: all of one driver on one node, or all of one socket. */
export interface Unit {
  readonly node: NodeName;
  readonly findings: readonly Finding[];
}

export interface Cures {
  readonly rule: string;
  /** The reasons that this repair can remove; for others it is not tried. */
  readonly reasons: readonly string[];
}

/** What the planner must know of a repair. Pure: the acting part is in `repair/`. */
export interface RepairSpec {
  /** Stable, and equal to the file's name. */
  readonly id: string;
  readonly title: string;
  /** Place on the ladder: the lower, the gentler, the earlier. */
  readonly rank: number;
  readonly risk: Risk;
  readonly cures: readonly Cures[];
  /** True for a repair that is done only when its own command asks for it; `heal` never does. */
  readonly onRequest?: boolean;
  /** What it will do to this unit, as one sentence. */
  describe(unit: Unit, node: NodeView): string;
  /** What becomes of each thing that it concerns, a line each; absent where one sentence says all. */
  details?(unit: Unit, node: NodeView): readonly string[];
  /** Why it must not be tried on this unit; undefined where it may. Asked again, with fresh eyes, before it acts. */
  bars(unit: Unit, node: NodeView, options: GuardOptions): string | undefined;
}

/** What the user allowed beyond the risk limit. */
export interface GuardOptions {
  /** Restart a kubelet that carries a control plane along. */
  readonly force: boolean;
}

export const canCure = ({ cures }: RepairSpec, finding: Finding) =>
  cures.some(({ rule, reasons }) => rule === finding.rule && reasons.includes(finding.reason));
