import { findingId } from '../../model/finding.ts';
import type { Plan, Rung, Step } from '../../model/plan.ts';
import { defineView } from '../define-view.ts';
import { blindSpotTexts } from '../findings.ts';
import { paint, type Style } from '../style.ts';
import { wrap } from '../table.ts';

const rungText = ({ does, risk, barred, repair, details = [] }: Rung, index: number, style: Style) =>
  barred
    ? paint(style, 'dim', wrap(`    -  ${repair}: not tried: ${barred}`, style.width, '       '))
    : [
        wrap(`    ${index}. ${does} [${repair}, ${risk}]`, style.width, '       '),
        ...details.map((line) => wrap(`       - ${line}`, style.width, '         ')),
      ].join('\n');

function stepText({ node, findings, rungs }: Step, style: Style): string {
  let index = 0;
  const about = findings.length > 0 ? [findings.map(({ summary }) => summary).join('; ')] : [];
  const ladder = rungs.map((rung) => rungText(rung, rung.barred ? 0 : ++index, style));
  return [wrap(`  ${[node, ...about].join(': ')}`, style.width, '    '), ...ladder].join('\n');
}

export const refusalTexts = (refusals: Plan['refusals'], style: Style) =>
  refusals.flatMap(({ finding, why }) => {
    const { subject, summary, rule, reason } = finding;
    return [
      wrap(`  ${subject.node ?? 'cluster'}: ${summary} [${rule}: ${reason}]`, style.width, '    '),
      wrap(`    ${why}`, style.width, '    '),
    ];
  });

/** Heads what is left for a person to do. */
export const leftHeading = 'Left for you:';

export function emptyText(refusals: Plan['refusals']): string {
  if (refusals.length === 0) return 'Nothing to repair.';
  return refusals.some(({ why }) => why.includes('--max-risk'))
    ? 'Nothing can be repaired at this risk.'
    : 'Nothing here can be repaired by kubectl csi.';
}

export default defineView({
  kind: 'Plan',
  table({ plan, diagnosis }, style) {
    const steps = plan.steps.map((step) => stepText(step, style));
    const refusals = refusalTexts(plan.refusals, style);
    return [
      ...(steps.length > 0
        ? ['To be done (each line only if the one above did not help):', ...steps]
        : [emptyText(plan.refusals)]),
      ...(refusals.length > 0 ? ['', leftHeading, ...refusals] : []),
      ...blindSpotTexts(diagnosis.blindSpots, style),
    ].join('\n');
  },
  names: ({ plan }) => plan.steps.flatMap(({ findings }) => findings.map(findingId)),
});
