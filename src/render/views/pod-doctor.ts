import { findingId } from '../../model/finding.ts';
import type { StepState, WalkStep } from '../../model/walk.ts';
import { defineView } from '../define-view.ts';
import { blindSpotTexts } from '../findings.ts';
import { paint, type Style, unknown } from '../style.ts';
import { wrap } from '../table.ts';
import { caseText } from './doctor.ts';

const words: Readonly<Record<StepState, readonly ['green' | 'red' | 'yellow' | 'dim', string]>> = {
  sound: ['green', 'ok'],
  broken: ['red', 'BROKEN'],
  waiting: ['yellow', 'waiting'],
  unneeded: ['dim', '-'],
  unknown: ['yellow', unknown],
};

const stateWidth = 9;
const linkWidth = 13;

function stepText({ link, state, what }: WalkStep, style: Style): string {
  const [ink, word] = words[state];
  const line = `  ${word.padEnd(stateWidth)} ${link.padEnd(linkWidth)} ${what}`;
  const wrapped = wrap(line, style.width, ' '.repeat(stateWidth + linkWidth + 4));
  return wrapped.replace(word, () => paint(style, ink, word));
}

/** The volumes one after the other, then what is the pod's own. */
function walkText(walk: readonly WalkStep[], style: Style): readonly string[] {
  const groups = Map.groupBy(walk, ({ volume }) => volume);
  const own = groups.get(undefined) ?? [];
  groups.delete(undefined);
  return [
    ...[...groups].map(([volume, steps]) => group(`volume ${volume}`, steps, style)),
    group('pod', own, style),
  ];
}

const group = (name: string, steps: readonly WalkStep[], style: Style) =>
  [paint(style, 'bold', name), ...steps.map((step) => stepText(step, style))].join('\n');

export default defineView({
  kind: 'PodDoctor',
  table({ pod, node, status, verdict, blocker, walk, cases, diagnosis }, style) {
    const head = `pod ${pod.namespace}/${pod.name}${node ? ` on ${node}` : ''}: ${status}`;
    const blind = blindSpotTexts(diagnosis.blindSpots, style);
    return [
      paint(style, 'bold', wrap(head, style.width, '  ')),
      blocker ? caseText(blocker, style) : wrap(verdict, style.width, '  '),
      walkText(walk, style).join('\n'),
      ...cases.map((each) => caseText(each, style)),
      ...blind,
    ].join('\n\n');
  },
  names: ({ blocker, cases }) =>
    [...(blocker ? [blocker] : []), ...cases].map(({ finding }) => findingId(finding)),
});
