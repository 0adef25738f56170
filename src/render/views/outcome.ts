import { findingId } from '../../model/finding.ts';
import type { Attempt, Result, StepOutcome } from '../../model/outcome.ts';
import { defineView } from '../define-view.ts';
import { blindSpotTexts } from '../findings.ts';
import { paint, type Style } from '../style.ts';
import { wrap } from '../table.ts';
import { emptyText, leftHeading, refusalTexts } from './plan.ts';

const words: Readonly<Record<Result, readonly ['green' | 'yellow' | 'red', string]>> = {
  repaired: ['green', 'repaired'],
  gone: ['green', 'was well by then'],
  refused: ['yellow', 'not done'],
  undone: ['red', 'failed'],
  failed: ['red', 'failed, something is left'],
};

const resultText = (style: Style, result: Result) => paint(style, words[result][0], words[result][1]);

function attemptText({ repair, result, detail, took, notes = [] }: Attempt, style: Style): string {
  const why = result === 'repaired' ? '' : `: ${detail}`;
  const line = `    ${repair}: ${resultText(style, result)} (${(took / 1000).toFixed(1)} s)${why}`;
  return [line, ...notes.map((note) => `      note: ${note}`)]
    .map((each) => wrap(each, style.width, '        '))
    .join('\n');
}

function stepText({ step, result, attempts, left }: StepOutcome, style: Style): string {
  const what = step.findings.map(({ summary }) => summary).join('; ') || step.rungs[0]?.does;
  return [
    wrap(`  ${step.node}: ${resultText(style, result)}${what ? `: ${what}` : ''}`, style.width, '    '),
    ...attempts.map((attempt) => attemptText(attempt, style)),
    ...left.map((line) => wrap(`    left: ${line}`, style.width, '      ')),
  ].join('\n');
}

export default defineView({
  kind: 'Outcome',
  table({ outcome, refusals, blindSpots, notes }, style) {
    return [
      ...(outcome.steps.length > 0
        ? ['Done:', ...outcome.steps.map((step) => stepText(step, style))]
        : [emptyText(refusals)]),
      ...(refusals.length > 0 ? ['', leftHeading, ...refusalTexts(refusals, style)] : []),
      ...blindSpotTexts(blindSpots, style),
      ...notes.map((note) => wrap(note, style.width, '  ')),
      ...(outcome.stopped ? [wrap(`Stopped: ${outcome.stopped}`, style.width, '  ')] : []),
    ].join('\n');
  },
  names: ({ outcome }) => outcome.steps.flatMap(({ step }) => step.findings.map(findingId)),
});
