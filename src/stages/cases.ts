import { rules } from '../diagnose/rules/index.gen.ts';
import type { Diagnosis, Finding } from '../model/finding.ts';
import { canCure } from '../plan/repair-spec.ts';
import type { DoctorCase } from '../render/report.ts';
import { repairs } from '../repair/repairs/index.gen.ts';

/** Each finding with its rule's words and the ladder of repairs that can cure it. */
export const casesOf = ({ findings }: Diagnosis): readonly DoctorCase[] => findings.map(caseOf);

export function caseOf(finding: Finding): DoctorCase {
  const rule = rules.find(({ id }) => id === finding.rule);
  const ladder = repairs.filter((repair) => canCure(repair, finding)).sort((a, b) => a.rank - b.rank);
  return {
    finding,
    title: rule?.title ?? finding.rule,
    explanation: rule?.reasons[finding.reason] ?? finding.reason,
    repairs: ladder.map(({ id, risk, title }) => ({ id, risk, title })),
  };
}
