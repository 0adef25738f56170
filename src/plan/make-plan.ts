import type { ClusterView, NodeView } from '../diagnose/view.ts';
import { type Finding, unitOf } from '../model/finding.ts';
import {
  type Plan,
  type Refusal,
  type Risk,
  type Rung,
  riskAtMost,
  risks,
  type Step,
} from '../model/plan.ts';
import { canCure, type GuardOptions, type RepairSpec, type Unit } from './repair-spec.ts';

export interface PlanOptions extends GuardOptions {
  readonly maxRisk: Risk;
}

/** Findings to a plan: units, the ladder of repairs of each, the gentlest units first, and what is refused and why. */
export function makePlan(
  findings: readonly Finding[],
  cluster: ClusterView,
  repairs: readonly RepairSpec[],
  options: PlanOptions,
): Plan {
  const actionable = findings.filter(({ severity }) => severity !== 'notice');
  const curable = actionable.filter((finding) => repairs.some((repair) => canCure(repair, finding)));
  const steps = unitsOf(curable).flatMap((unit) => {
    const node = cluster.nodes.find((each) => each.node.name === unit.node);
    return node ? [stepOf(unit, node, ladderOf(unit, repairs), options)] : [];
  });
  return {
    version: 1,
    maxRisk: options.maxRisk,
    steps: steps.filter(hasOpenRung).sort((a, b) => gentleness(a) - gentleness(b)),
    refusals: [
      ...actionable.filter((finding) => !curable.includes(finding)).map(noRepair),
      ...steps.filter((step) => !hasOpenRung(step)).flatMap(barredStep),
    ],
  };
}

/** A plan to do one repair on each of these nodes because the user asked for it, not because of a finding. */
export function planRequested(repair: RepairSpec, nodes: readonly NodeView[], options: PlanOptions): Plan {
  const steps = nodes.map((node) => stepOf({ node: node.node.name, findings: [] }, node, [repair], options));
  return { version: 1, maxRisk: options.maxRisk, steps, refusals: [] };
}

function unitsOf(findings: readonly Finding[]): readonly Unit[] {
  const groups = Map.groupBy(findings, ({ subject }) => unitOf(subject));
  return [...groups.values()].flatMap((group) => {
    const node = group[0]?.subject.node;
    return node ? [{ node, findings: group }] : [];
  });
}

function ladderOf({ findings }: Unit, repairs: readonly RepairSpec[]) {
  return repairs
    .filter((repair) => findings.some((finding) => canCure(repair, finding)))
    .sort((a, b) => a.rank - b.rank);
}

function stepOf(unit: Unit, node: NodeView, ladder: readonly RepairSpec[], options: PlanOptions): Step {
  return { ...unit, rungs: ladder.map((repair) => rungOf(repair, unit, node, options)) };
}

function rungOf(repair: RepairSpec, unit: Unit, node: NodeView, options: PlanOptions): Rung {
  const risky = riskAtMost(repair.risk, options.maxRisk) ? undefined : `needs --max-risk ${repair.risk}`;
  const barred = repair.bars(unit, node, options) ?? risky;
  const { id, risk } = repair;
  const details = repair.details?.(unit, node) ?? [];
  return {
    repair: id,
    risk,
    does: repair.describe(unit, node),
    ...(details.length > 0 && { details }),
    ...(barred && { barred }),
  };
}

const openRungs = ({ rungs }: Step) => rungs.filter(({ barred }) => barred === undefined);
const hasOpenRung = (step: Step) => openRungs(step).length > 0;
const gentleness = (step: Step) => risks.indexOf(openRungs(step)[0]?.risk ?? 'destructive');

const noRepair = (finding: Finding): Refusal => ({ finding, why: `by hand: ${finding.cure}` });

const barredStep = ({ findings, rungs }: Step): readonly Refusal[] =>
  findings.map((finding) => ({
    finding,
    why: rungs.map(({ repair, barred }) => `${repair}: ${barred}`).join('; '),
  }));
