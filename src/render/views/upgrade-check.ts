import { countOf } from '../../model/count.ts';
import { defineView } from '../define-view.ts';
import type { UpgradeCheckReport, UpgradeNode } from '../report.ts';
import { paint, type Style, unknown } from '../style.ts';
import { columns, wrap } from '../table.ts';
import { blindTexts, workloadTable } from './blast-radius.ts';

function nodeTable({ nodes }: UpgradeCheckReport, style: Style): string {
  const rows = nodes.map(({ node, pod, revision, toll }: UpgradeNode) => [
    node,
    pod,
    revision ?? unknown,
    ...[toll.dies, toll.survives, toll.unknown, toll.dead].map(String),
  ]);
  const head = ['NODE', 'POD', 'REVISION', 'DIE', 'SURVIVE', 'UNKNOWN', 'DEAD'];
  return columns(head, rows, { width: style.width, cut: [0, 1] });
}

function strategyText({ strategy, nodes }: UpgradeCheckReport): string {
  const { type, maxUnavailable = '1' } = strategy;
  const old = nodes.filter(({ revision }) => revision === 'old').length;
  const waiting = old > 0 ? ` ${countOf(old, 'pod')} still of an older template.` : '';
  if (type === 'OnDelete')
    return `updateStrategy OnDelete: nothing restarts until somebody deletes a pod.${waiting}`;
  return `updateStrategy ${type}: a change of the template restarts every pod, ${maxUnavailable} at a time.${waiting}`;
}

function verdictText({ verdict, volumes, daemonSet }: UpgradeCheckReport, style: Style): string {
  const dying = volumes.filter(({ onPluginRestart }) => onPluginRestart === 'dies');
  const pods = new Set(dying.map(({ pod }) => `${pod.namespace}/${pod.name}`)).size;
  const nodes = new Set(dying.map(({ node }) => node)).size;
  switch (verdict) {
    case 'safe':
      return `${paint(style, 'green', 'SAFE')} A rollout of ${daemonSet} kills no volume that was seen.`;
    case 'unknown':
      return `${paint(style, 'yellow', unknown)} Not everything could be seen: a rollout of ${daemonSet} may kill volumes.`;
    case 'kills':
      return `${paint(style, 'red', 'KILLS')} A rollout of ${daemonSet} kills ${countOf(dying.length, 'volume')} of ${countOf(pods, 'pod')} on ${countOf(nodes, 'node')}.`;
  }
}

function handoverTexts({ handover, verdict }: UpgradeCheckReport): readonly string[] {
  if (verdict === 'safe') return [];
  if (!handover.possible) return handover.reasons.map((reason) => `Handover not possible: ${reason}.`);
  return [
    'Handover possible: a second driver can carry the volumes over the restart.',
    ...handover.cautions.map((caution) => `Mind: ${caution}.`),
  ];
}

export default defineView({
  kind: 'UpgradeCheck',
  table(report, style) {
    const { nodes, volumes, daemonSet, next } = report;
    const lines = [
      verdictText(report, style),
      strategyText(report),
      ...handoverTexts(report),
      ...next.map((command) => `→ ${command}`),
    ];
    return [
      nodes.length > 0 ? nodeTable(report, style) : `${daemonSet} has no pod on any node.`,
      volumes.length > 0 ? workloadTable(volumes, style, ({ onPluginRestart }) => onPluginRestart) : '',
      blindTexts(report, style).join('\n'),
      lines.map((line) => wrap(line, style.width, '  ')).join('\n'),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  },
  names: ({ volumes }) => [
    ...new Set(
      volumes
        .filter(({ onPluginRestart }) => onPluginRestart === 'dies')
        .map(({ pod }) => `${pod.namespace}/pod/${pod.name}`),
    ),
  ],
});
