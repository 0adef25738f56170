import type { BlindSpot, Diagnosis, Finding } from '../model/finding.ts';
import { paint, type Style, severityText, unknown } from './style.ts';
import { wrap } from './table.ts';

const indent = '  ';

/** As many of a kind are told one by one; of more, the first and how many there are. */
const toldOneByOne = 3;

export function findingText(finding: Finding, style: Style): string {
  return block(finding, [finding.summary], finding.cure, style);
}

function block(
  { severity, rule, reason, subject }: Finding,
  summaries: readonly string[],
  cure: string,
  style: Style,
) {
  const where = subject.node ? ` ${subject.node}` : '';
  return [
    `${severityText(style, severity)}${where} ${paint(style, 'dim', `[${rule}: ${reason}]`)}`,
    ...summaries.map((summary) => wrap(`${indent}${summary}`, style.width, indent)),
    wrap(`${indent}→ ${cure}`, style.width, `${indent}  `),
  ].join('\n');
}

/** Twenty pods of one dead driver are one thing to know and one command to type. */
function kindText(alike: readonly Finding[], style: Style, wide: boolean): readonly string[] {
  const [first] = alike;
  if (!first?.cureTogether || alike.length <= toldOneByOne || wide)
    return alike.map((finding) => findingText(finding, style));
  const told = alike.slice(0, toldOneByOne).map(({ summary }) => summary);
  const others = `… and ${alike.length - toldOneByOne} more; -o wide tells each`;
  return [block(first, [...told, others], first.cureTogether, style)];
}

const kindOf = ({ rule, reason, severity, subject: { node, driver }, cureTogether }: Finding) =>
  [rule, reason, severity, node, driver, cureTogether].join(' ');

/** One line a node and reason: a node that nobody reached would otherwise fill the screen, rule by rule. */
export function blindSpotTexts(blindSpots: readonly BlindSpot[], style: Style): readonly string[] {
  const groups = Map.groupBy(blindSpots, ({ subject, why }) => `${subject.node ?? 'cluster'}: ${why}`);
  return [...groups].map(([text, spots]) => {
    const rules = [...new Set(spots.map(({ rule }) => rule))];
    const asked = rules.length > 3 ? `${rules.length} questions` : rules.join(', ');
    return wrap(`${paint(style, 'yellow', unknown)} ${text} (${asked})`, style.width, indent);
  });
}

export function diagnosisText({ findings, blindSpots }: Diagnosis, style: Style, wide: boolean): string {
  const kinds = Map.groupBy(findings, kindOf).values();
  return [
    ...[...kinds].flatMap((alike) => kindText(alike, style, wide)),
    ...blindSpotTexts(blindSpots, style),
  ].join('\n');
}
