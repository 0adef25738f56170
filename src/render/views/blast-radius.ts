import { countOf } from '../../model/count.ts';
import { keyText } from '../../model/ids.ts';
import type { Fate, VolumeImpact } from '../../model/impact.ts';
import { defineView } from '../define-view.ts';
import {
  fateWords,
  homeText,
  protectionText,
  shortProtection,
  shortServices,
  unknownReasons,
  workloadOf,
} from '../impact-words.ts';
import dot from '../pictures/dot.ts';
import html from '../pictures/html.ts';
import mermaid from '../pictures/mermaid.ts';
import type { BlastRadiusReport } from '../report.ts';
import { paint, type Style, unknown } from '../style.ts';
import { columns, wrap } from '../table.ts';

const inks = { dies: 'red', dead: 'red', survives: 'green', unknown: 'yellow' } as const;

export const fateText = (style: Style, fate: Fate) => paint(style, inks[fate], fateWords[fate]);

function pluginTable({ plugins }: BlastRadiusReport, style: Style, wide: boolean): string {
  const rows = plugins.map(({ node, driver, pod = 'none', onPluginRestart, onKubeletRestart }) => {
    const { dies, survives, dead, unknown: blind } = onPluginRestart;
    const counts = [dies + survives + dead + blind, dies, onKubeletRestart.dies, blind, dead].map(String);
    return [node, driver, ...(wide ? [pod] : []), ...counts];
  });
  const counts = ['VOLUMES', 'PLUGIN KILLS', 'KUBELET KILLS', 'UNKNOWN', 'DEAD'];
  const head = ['NODE', 'DRIVER', ...(wide ? ['NODE PLUGIN'] : []), ...counts];
  return columns(head, rows, wide ? undefined : { width: style.width, cut: [0, 1] });
}

/** Volumes of one workload that are served and protected alike are one row. */
export function workloadTable(
  volumes: readonly VolumeImpact[],
  style: Style,
  fate: (volume: VolumeImpact) => Fate,
): string {
  const alike = (volume: VolumeImpact) =>
    JSON.stringify([
      volume.node,
      workloadOf(volume),
      shortServices(volume.services),
      fate(volume),
      shortProtection(volume.protection),
    ]);
  const rows = [...Map.groupBy(volumes, alike).values()].map((group) => {
    const [first] = group as [VolumeImpact];
    return [
      first.node,
      workloadOf(first),
      String(group.length),
      shortServices(first.services),
      fateText(style, fate(first)),
      shortProtection(first.protection),
    ];
  });
  const head = ['NODE', 'WORKLOAD', 'VOLUMES', 'SERVED BY', 'FATE', 'PROTECTED BY'];
  return columns(head, rows, { width: style.width, cut: [0, 1, 3, 5] });
}

function wideTable(volumes: readonly VolumeImpact[], style: Style): string {
  const rows = volumes.map((volume) => {
    const daemons = volume.services.flatMap((each) => (each.by === 'daemons' ? each.daemons : []));
    const words = (texts: readonly string[]) => [...new Set(texts)].join(',') || '-';
    return [
      volume.node,
      volume.driver,
      volume.volume,
      keyText(volume.pod),
      volume.workload ?? '-',
      words(volume.services.map(({ fsType = unknown }) => fsType)),
      words(daemons.map(({ command, pid }) => `${command}/${pid}`)),
      words(daemons.map(({ home }) => homeText(home))),
      words(daemons.map(({ proof }) => proof)),
      fateText(style, volume.onPluginRestart),
      fateText(style, volume.onKubeletRestart),
      protectionText(volume.protection),
    ];
  });
  const head =
    'NODE,DRIVER,VOLUME,POD,WORKLOAD,FILE SYSTEM,DAEMON,LIVES IN,KNOWN BY,PLUGIN RESTART,KUBELET RESTART,PROTECTED BY';
  return columns(head.split(','), rows);
}

/** What could not be seen, each reason once. */
export function blindTexts(
  { volumes, unseen = [] }: Pick<BlastRadiusReport, 'volumes'> & Partial<Pick<BlastRadiusReport, 'unseen'>>,
  style: Style,
): readonly string[] {
  const reasons = volumes
    .filter(({ node }) => !unseen.some((each) => each.node === node))
    .flatMap(({ node, services }) => unknownReasons(services).map((why) => `${node}: ${why}`));
  const counts = [...Map.groupBy(reasons, (text) => text)].map(
    ([text, all]) => `${text} (${countOf(all.length, 'volume')})`,
  );
  return [...unseen.map(({ node, why }) => `${node}: ${why}`), ...counts].map((text) =>
    wrap(`${paint(style, 'yellow', unknown)} ${text}`, style.width, '  '),
  );
}

export default defineView({
  kind: 'BlastRadius',
  table(report, style, wide) {
    const { plugins, volumes } = report;
    const volumeTable = wide
      ? wideTable(volumes, style)
      : workloadTable(volumes, style, ({ onPluginRestart }) => onPluginRestart);
    return [
      plugins.length > 0
        ? pluginTable(report, style, wide)
        : 'No CSI driver was found on the nodes in scope.',
      volumes.length > 0 ? volumeTable : 'No pod there uses a CSI volume.',
      blindTexts(report, style).join('\n'),
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
  pictures: [dot, html, mermaid],
});
