import type { Fate } from '../../model/impact.ts';
import type { Picture } from '../define-view.ts';
import { type Box, graphOf, type NodeGraph } from './graph.ts';

/** Mermaid takes a text in quotes as HTML; `#NUMBER;` is its way to write a character (its flowchart syntax, "Entity codes"). */
const escaped = (text: string) => text.replace(/[^\w ./:(),-]/gu, (letter) => `#${letter.codePointAt(0)};`);

const quoted = (lines: readonly string[]) => `"${lines.map(escaped).join('<br/>')}"`;

const brackets = { plugin: ['[[', ']]'], server: ['([', '])'], workload: ['[', ']'] } as const;

function boxLine({ id, kind, lines, fate }: Box): string {
  const [open, close] = brackets[kind];
  return `    ${id}${open}${quoted(lines)}${close}:::${fate}`;
}

const group = ({ name, boxes, edges }: NodeGraph, index: number) =>
  [
    `  subgraph node_${index} [${quoted([name])}]`,
    ...boxes.map(boxLine),
    ...edges.map(([from, to]) => `    ${from} --> ${to}`),
    '  end',
  ].join('\n');

const colors: Readonly<Record<Fate, string>> = {
  dies: 'fill:#f4b6b0,color:#222',
  dead: 'fill:#c9c9c9,color:#222',
  survives: 'fill:#bfe3c0,color:#222',
  unknown: 'fill:#f6e2a3,color:#222',
};

const mermaid: Picture<'BlastRadius'> = {
  id: 'mermaid',
  describe: 'a flowchart for Markdown',
  render: (report) =>
    [
      'flowchart LR',
      ...graphOf(report).nodes.map(group),
      ...Object.entries(colors).map(([fate, style]) => `  classDef ${fate} ${style}`),
      '',
    ].join('\n'),
};

export default mermaid;
