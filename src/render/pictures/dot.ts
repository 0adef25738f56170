import type { Fate } from '../../model/impact.ts';
import type { Picture } from '../define-view.ts';
import { type Box, graphOf, type NodeGraph } from './graph.ts';

/** A quoted string of the DOT language: only the quote ends it; a backslash begins an escape of labels. */
const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const label = (lines: readonly string[]) => `"${lines.map((line) => quoted(line).slice(1, -1)).join('\\n')}"`;

const colors: Readonly<Record<Fate, string>> = {
  dies: '#f4b6b0',
  dead: '#c9c9c9',
  survives: '#bfe3c0',
  unknown: '#f6e2a3',
};

const shapes = { plugin: 'component', server: 'ellipse', workload: 'box' } as const;

const boxLine = ({ id, kind, lines, fate }: Box) =>
  `    ${id} [shape=${shapes[kind]}, fillcolor="${colors[fate]}", label=${label(lines)}];`;

const cluster = ({ name, boxes, edges }: NodeGraph, index: number) =>
  [
    `  subgraph cluster_${index} {`,
    `    label=${quoted(name)};`,
    ...boxes.map(boxLine),
    ...edges.map(([from, to]) => `    ${from} -> ${to};`),
    '  }',
  ].join('\n');

const dot: Picture<'BlastRadius'> = {
  id: 'dot',
  describe: 'a graph for Graphviz',
  render: (report) =>
    [
      'digraph "blast radius" {',
      '  rankdir=LR;',
      '  node [style=filled, fontname="sans-serif", fontsize=11];',
      ...graphOf(report).nodes.map(cluster),
      '}',
      '',
    ].join('\n'),
};

export default dot;
