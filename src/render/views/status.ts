import { findingId } from '../../model/finding.ts';
import { defineView } from '../define-view.ts';
import { diagnosisText } from '../findings.ts';
import type { Known, StatusReport, StatusRow } from '../report.ts';
import { paint, type Style, unknown } from '../style.ts';
import { columns, wrap } from '../table.ts';

const word = (value: Known<boolean>) => (value === undefined ? unknown : value ? 'yes' : 'no');

const count = (value: Known<number>) => (value === undefined ? unknown : String(value));

const verdicts = {
  ok: (style: Style) => paint(style, 'green', 'ok'),
  error: (style: Style, cause: string) => paint(style, 'red', cause),
  warning: (style: Style, cause: string) => paint(style, 'yellow', cause),
  unknown: (style: Style) => paint(style, 'yellow', unknown),
} as const;

function cells(row: StatusRow, report: StatusReport, style: Style): readonly string[] {
  return [
    row.node,
    row.driver,
    word(row.kubelet),
    word(row.csiNode),
    ...(report.deep ? [row.socket ?? unknown] : []),
    row.plugin,
    count(row.volumes),
    ...(report.deep ? [count(row.dead), count(row.hung)] : []),
    verdicts[row.verdict](style, row.cause ?? row.verdict),
  ];
}

export default defineView({
  kind: 'Status',
  table(report, style, wide) {
    const head = [
      'NODE',
      'DRIVER',
      'KUBELET',
      'CSINODE',
      ...(report.deep ? ['SOCKET'] : []),
      'PLUGIN',
      'VOLUMES',
      ...(report.deep ? ['DEAD', 'HUNG'] : []),
      'VERDICT',
    ];
    const rows = report.rows.map((row) => cells(row, report, style));
    const table =
      rows.length > 0
        ? columns(head, rows, wide ? undefined : { width: style.width, cut: [0, 1] })
        : 'No CSI driver was found on the nodes in scope.';
    return [
      table,
      diagnosisText(report.diagnosis, style),
      report.footers.map((line) => paint(style, 'dim', wrap(line, style.width, ''))).join('\n'),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  },
  names: ({ diagnosis }) => diagnosis.findings.map(findingId),
});
