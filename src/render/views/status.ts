import { findingId } from '../../model/finding.ts';
import { defineView } from '../define-view.ts';
import { diagnosisText } from '../findings.ts';
import type { Known, StatusReport, StatusRow } from '../report.ts';
import { paint, type Style, unknown } from '../style.ts';
import { columns, wrap } from '../table.ts';

const word = (value: Known<boolean>) => (value === undefined ? unknown : value ? 'yes' : 'no');

const count = (value: Known<number>) => (value === undefined ? unknown : String(value));

/** Kubelet's word and CSINode's in one, which should be the same. */
function registered({ kubelet, csiNode }: StatusRow): string {
  if (kubelet === undefined || csiNode === undefined) return unknown;
  if (kubelet === csiNode) return word(kubelet);
  return kubelet ? 'kubelet only' : 'CSINode only';
}

/** `12`, or `12 (1 dead, 2 hung)`. */
function volumes({ volumes: all, dead, hung }: StatusRow, deep: boolean): string {
  if (!deep) return count(all);
  const sick = [
    ...(dead === undefined || dead > 0 ? [`${count(dead)} dead`] : []),
    ...(hung === undefined || hung > 0 ? [`${count(hung)} hung`] : []),
  ];
  const parts = dead === undefined && hung === undefined ? [unknown] : sick;
  return parts.length === 0 || all === undefined ? count(all) : `${all} (${parts.join(', ')})`;
}

const verdicts = {
  ok: (style: Style) => paint(style, 'green', 'ok'),
  error: (style: Style, cause: string) => paint(style, 'red', cause),
  warning: (style: Style, cause: string) => paint(style, 'yellow', cause),
  unknown: (style: Style) => paint(style, 'yellow', unknown),
} as const;

type Column = readonly [head: string, cell: (row: StatusRow) => string];

function columnsOf({ deep }: StatusReport, style: Style, wide: boolean): readonly Column[] {
  const socket: Column = ['SOCKET', (row) => row.socket ?? unknown];
  return [
    ['NODE', (row) => row.node],
    ['DRIVER', (row) => row.driver],
    ...(wide
      ? ([
          ['KUBELET', (row) => word(row.kubelet)],
          ['CSINODE', (row) => word(row.csiNode)],
        ] satisfies readonly Column[])
      : ([['REGISTERED', registered]] satisfies readonly Column[])),
    ...(deep ? [socket] : []),
    ['PLUGIN', (row) => row.plugin],
    ['VOLUMES', (row) => (wide ? count(row.volumes) : volumes(row, deep))],
    ...(wide && deep
      ? ([
          ['DEAD', (row) => count(row.dead)],
          ['HUNG', (row) => count(row.hung)],
        ] satisfies readonly Column[])
      : []),
    ['VERDICT', (row) => verdicts[row.verdict](style, row.cause ?? row.verdict)],
  ];
}

export default defineView({
  kind: 'Status',
  table(report, style, wide) {
    const chosen = columnsOf(report, style, wide);
    const head = chosen.map(([title]) => title);
    const rows = report.rows.map((row) => chosen.map(([, cell]) => cell(row)));
    const fit = wide ? undefined : { width: style.width, cut: [0, 1] };
    const table =
      rows.length > 0 ? columns(head, rows, fit) : 'No CSI driver was found on the nodes in scope.';
    return [
      table,
      diagnosisText(report.diagnosis, style, wide),
      report.footers.map((line) => paint(style, 'dim', wrap(line, style.width, ''))).join('\n'),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  },
  names: ({ diagnosis }) => diagnosis.findings.map(findingId),
});
