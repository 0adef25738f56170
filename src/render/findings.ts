import type { BlindSpot, Diagnosis, Finding } from '../model/finding.ts';
import { paint, type Style, severityText, unknown } from './style.ts';
import { wrap } from './table.ts';

const indent = '  ';

export function findingText(finding: Finding, style: Style): string {
  const where = finding.subject.node ? ` ${finding.subject.node}` : '';
  const head = `${severityText(style, finding.severity)}${where} ${paint(style, 'dim', `[${finding.rule}: ${finding.reason}]`)}`;
  return [
    head,
    wrap(`${indent}${finding.summary}`, style.width, indent),
    wrap(`${indent}→ ${finding.cure}`, style.width, `${indent}  `),
  ].join('\n');
}

/** One line a node and reason: a node that nobody reached would otherwise fill the screen, rule by rule. */
export function blindSpotTexts(blindSpots: readonly BlindSpot[], style: Style): readonly string[] {
  const groups = Map.groupBy(blindSpots, ({ subject, why }) => `${subject.node ?? 'cluster'}: ${why}`);
  return [...groups].map(([text, spots]) => {
    const rules = [...new Set(spots.map(({ rule }) => rule))];
    const asked = rules.length > 3 ? `${rules.length} questions` : rules.join(', ');
    return wrap(`${paint(style, 'yellow', unknown)} ${text} (${asked})`, style.width, indent);
  });
}

export const diagnosisText = ({ findings, blindSpots }: Diagnosis, style: Style): string =>
  [...findings.map((finding) => findingText(finding, style)), ...blindSpotTexts(blindSpots, style)].join(
    '\n',
  );
