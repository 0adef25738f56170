import { findingId } from '../../model/finding.ts';
import { defineView } from '../define-view.ts';
import { blindSpotTexts } from '../findings.ts';
import type { DoctorCase } from '../report.ts';
import { paint, type Style, severityText } from '../style.ts';
import { wrap } from '../table.ts';

const line = (label: string, text: string, style: Style) =>
  wrap(`  ${paint(style, 'dim', label.padEnd(9))} ${text}`, style.width, ' '.repeat(12));

export function caseText({ finding, title, explanation, repairs }: DoctorCase, style: Style): string {
  const { subject, severity, rule, reason } = finding;
  const where = [subject.node, subject.driver].filter((part) => part !== undefined).join(' ');
  return [
    wrap(
      `${severityText(style, severity)} ${paint(style, 'bold', title)}${where ? ` (${where})` : ''}`,
      style.width,
      '  ',
    ),
    line('what', finding.summary, style),
    line('why', `${explanation} [${rule}: ${reason}]`, style),
    ...finding.proofs.map(({ what, source }) => line('seen', `${what} (${source})`, style)),
    ...repairs.map(({ title: does, risk, id }, index) =>
      line(index === 0 ? 'repairs' : '', `${index + 1}. ${does} [${id}, ${risk}]`, style),
    ),
    line('cure', finding.cure, style),
  ].join('\n');
}

export default defineView({
  kind: 'Doctor',
  table({ cases, diagnosis }, style) {
    const blind = blindSpotTexts(diagnosis.blindSpots, style);
    const well =
      cases.length === 0 && blind.length === 0 ? ['All that was asked was seen, and is well.'] : [];
    return [...cases.map((each) => caseText(each, style)), ...blind, ...well].join('\n\n');
  },
  names: ({ cases }) => cases.map(({ finding }) => findingId(finding)),
});
