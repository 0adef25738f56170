import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';

/** Spaces between two columns. */
const gap = 2;

/** Nothing but columns, as kubectl prints them. */
const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(gap),
} as const;

type Row = readonly string[];

const visible = (text: string) => stripVTControlCharacters(text).length;

/** Which columns may be cut, and to how many columns of the terminal in all. */
export interface Fit {
  readonly width: number;
  readonly cut: readonly number[];
}

/** Columns without lines, each as wide as its widest cell, or cut so that a line fits. */
export function columns(head: Row, rows: readonly Row[], fit?: Fit): string {
  const [fittedHead = [], ...fittedRows] = fit ? fitted([head, ...rows], fit) : [head, ...rows];
  const table = new Table({
    head: [...fittedHead],
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...fittedRows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A name that is cut to less than this tells nothing any more. */
const narrowest = 10;

function fitted(rows: readonly Row[], { width, cut }: Fit): readonly Row[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => visible(row[index] ?? ''))));
  const widthOf = (index: number) => widths[index] ?? 0;
  let excess = widths.reduce((sum, each) => sum + each + gap, -gap) - width;
  for (; excess > 0; excess -= 1) {
    const widest = cut.reduce((a, b) => (widthOf(b) > widthOf(a) ? b : a), cut[0] ?? 0);
    if (widthOf(widest) <= narrowest) break;
    widths[widest] = widthOf(widest) - 1;
  }
  return rows.map((row) =>
    row.map((cell, index) => (cut.includes(index) ? shortened(cell, widthOf(index)) : cell)),
  );
}

/** Names differ at their ends: the middle is left out. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`;
}

/** Breaks a text into lines of at most `width` columns, each after the first indented. */
export function wrap(text: string, width: number, indent: string): string {
  const lead = /^ */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = lead;
  let empty = true;
  for (const word of text.slice(lead.length).split(' ')) {
    if (!empty && visible(line) + 1 + visible(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join('\n');
}
