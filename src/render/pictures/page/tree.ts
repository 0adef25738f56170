import { countOf } from '../../../model/count.ts';
import type { ContainerImpact, Fate, Toll, VolumeImpact } from '../../../model/impact.ts';
import {
  fateWords,
  protectionText,
  servicesText,
  tollText,
  unknownReasons,
  workloadOf,
} from '../../impact-words.ts';
import type { BlastRadiusReport, PluginRadius } from '../../report.ts';
import { escaped } from './escape.ts';

interface Numbered extends VolumeImpact {
  readonly id: string;
}

/** Pages with no more volumes than this open with everything in sight. */
const atOnce = 30;

/** Node, driver, workload, and a row a volume. */
export function tree({ plugins, volumes, unseen }: BlastRadiusReport): string {
  const numbered = volumes.map((volume, index) => ({ ...volume, id: `v${index}` }));
  const open = volumes.length <= atOnce ? ' open' : '';
  const names = [...new Set([...plugins, ...volumes, ...unseen].map(({ node }) => node))];
  return names
    .map((name) => {
      const own = numbered.filter(({ node }) => node === name);
      const drivers = plugins.filter(({ node }) => node === name);
      const blind = unseen.find(({ node }) => node === name);
      return [
        `<details class="node"${open}><summary><b>${escaped(name)}</b>${counts(own)} ${dying(own)}${squaresOf(own)}</summary>`,
        blind ? `<p class="note">${escaped(`<unknown>: ${blind.why}`)}</p>` : '',
        ...drivers.map((driver) =>
          driverTree(
            driver,
            own.filter((each) => each.driver === driver.driver),
            open,
          ),
        ),
        '</details>',
      ].join('\n');
    })
    .join('\n');
}

function driverTree(radius: PluginRadius, volumes: readonly Numbered[], open: string): string {
  const { driver, pod = 'no node plugin here', onPluginRestart, onKubeletRestart } = radius;
  const groups = [...Map.groupBy(volumes, workloadOf)];
  return [
    `<details${open}><summary><b>${escaped(driver)}</b><span class="dim">${escaped(pod)}</span> `,
    `${toll('plugin', 'its restart kills', onPluginRestart)}${toll('kubelet', "kubelet's restart kills", onKubeletRestart)}</summary>`,
    ...groups.map(([workload, own]) => workloadTree(workload, own, open)),
    '</details>',
  ].join('');
}

const toll = (trigger: string, words: string, cost: Toll) =>
  `<span class="${trigger}">${escaped(words)} ${escaped(tollText(cost))}</span>`;

function workloadTree(workload: string, volumes: readonly Numbered[], open: string): string {
  const head = ['Pod', 'Volume', 'Served by', 'Fate', 'Protected by', 'Containers'];
  return [
    `<details${open}><summary>${escaped(workload)} ${counts(volumes)}</summary><div class="wide"><table>`,
    `<thead><tr>${head.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead><tbody>`,
    ...volumes.map(row),
    '</tbody></table></div></details>',
  ].join('');
}

function row(volume: Numbered): string {
  const { id, pod, services, containers, protection } = volume;
  const why = unknownReasons(services).join('; ');
  const cells = [
    escaped(pod.name),
    escaped(volume.volume),
    `${escaped(servicesText(services))}${why ? `<br><span class="dim">${escaped(why)}</span>` : ''}`,
    `${fate('plugin', volume.onPluginRestart)}${fate('kubelet', volume.onKubeletRestart)}`,
    escaped(protectionText(protection)),
    containers.map((each) => escaped(containerText(each))).join('<br>'),
  ];
  return `<tr id="${id}" ${fatesOf(volume)}>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const fatesOf = ({ onPluginRestart, onKubeletRestart }: VolumeImpact) =>
  `data-plugin="${onPluginRestart}" data-kubelet="${onKubeletRestart}"`;

const fate = (trigger: string, value: Fate) =>
  `<span class="fate ${trigger} is-${value}">${escaped(fateWords[value])}</span>`;

const containerText = ({ container, path, propagation, probed }: ContainerImpact) =>
  [`${container}: ${path}`, propagation === 'None' ? '' : propagation, probed ? 'probed' : '']
    .filter((word) => word !== '')
    .join(', ');

const counts = (volumes: readonly Numbered[]) => {
  const pods = new Set(volumes.map(({ pod }) => `${pod.namespace}/${pod.name}`)).size;
  return `<span class="dim">${countOf(pods, 'pod')}, ${countOf(volumes.length, 'volume')}</span>`;
};

const dying = (volumes: readonly Numbered[]) =>
  (['plugin', 'kubelet'] as const)
    .map((trigger) => {
      const field = trigger === 'plugin' ? 'onPluginRestart' : 'onKubeletRestart';
      const count = volumes.filter((volume) => volume[field] === 'dies').length;
      return count > 0
        ? `<span class="fate ${trigger} is-dies">${countOf(count, 'volume')} would die</span>`
        : '';
    })
    .join('');

const order: readonly Fate[] = ['dies', 'dead', 'unknown', 'survives'];
const byFate = (a: VolumeImpact, b: VolumeImpact) =>
  order.indexOf(a.onPluginRestart) - order.indexOf(b.onPluginRestart);

/** One square a volume: the node at a glance. */
const squaresOf = (volumes: readonly Numbered[]) =>
  `<span class="squares" aria-hidden="true">${[...volumes]
    .sort(byFate)
    .map(
      (volume) =>
        `<i data-volume="${volume.id}" ${fatesOf(volume)} title="${escaped(`${volume.pod.namespace}/${volume.pod.name}: ${volume.volume}`)}"></i>`,
    )
    .join('')}</span>`;
