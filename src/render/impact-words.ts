import { countOf } from '../model/count.ts';
import { keyText } from '../model/ids.ts';
import type { Fate, Home, Protection, Service, Toll, VolumeImpact } from '../model/impact.ts';
import { unknown } from './style.ts';

const distinct = (texts: readonly string[]) => [...new Set(texts)];

export const fateWords: Readonly<Record<Fate, string>> = {
  dies: 'dies',
  survives: 'survives',
  dead: 'dead',
  unknown,
};

export function homeText(home: Home): string {
  switch (home.kind) {
    case 'plugin':
    case 'pod':
      return `${keyText(home.pod)} (${home.container})`;
    case 'kubelet':
      return `kubelet's own unit ${home.unit}`;
    case 'unit':
      return `unit ${home.unit}`;
    case 'process':
      return 'the node, in no unit';
    case 'unknown':
      return unknown;
  }
}

/** The same in few words. */
function shortHome(home: Home): string {
  switch (home.kind) {
    case 'plugin':
      return 'the node plugin';
    case 'pod':
      return keyText(home.pod);
    default:
      return homeText(home);
  }
}

function serviceText(service: Service, place: (home: Home) => string): string {
  switch (service.by) {
    case 'kernel':
      return `${service.fsType}, no daemon`;
    case 'nobody':
      return 'its daemon has ended';
    case 'unknown':
      return unknown;
    case 'daemons':
      return distinct(service.daemons.map(({ command, home }) => `${command} in ${place(home)}`)).join(
        ' and ',
      );
  }
}

const textOf = (services: readonly Service[], place: (home: Home) => string) =>
  services.length === 0
    ? 'nothing is mounted'
    : distinct(services.map((service) => serviceText(service, place))).join('; ');

export const servicesText = (services: readonly Service[]) => textOf(services, homeText);
export const shortServices = (services: readonly Service[]) => textOf(services, shortHome);

export function protectionText(protection: Protection): string {
  switch (protection.kind) {
    case 'no-daemon':
      return 'not needed';
    case 'unit':
      return `unit ${protection.unit}`;
    case 'process':
      return 'host process';
    case 'sidecar':
      return `sidecar ${protection.container}`;
    case 'mount-pod':
      return `mount pod ${keyText(protection.pod)}`;
    case 'propagation':
      return 'HostToContainer';
    case 'probe':
      return 'liveness probe';
    case 'nothing':
      return 'nothing';
    case 'unknown':
      return unknown;
  }
}

/** In few words, beside `servicesText` with the place. */
export const shortProtection = (protection: Protection): string =>
  protection.kind === 'unit'
    ? 'systemd'
    : protection.kind === 'mount-pod'
      ? 'mount pod'
      : protectionText(protection);

export const workloadOf = ({ pod, workload }: VolumeImpact) =>
  `${pod.namespace}/${workload ?? `Pod/${pod.name}`}`;

/** `3 volumes of 2 pods`, `nothing`, and what is not known beside it. */
export function tollText({ dies, pods, unknown: blind }: Toll): string {
  const known = dies === 0 ? 'nothing' : `${countOf(dies, 'volume')} of ${countOf(pods.length, 'pod')}`;
  if (blind === 0) return known;
  return dies === 0 ? `${unknown} for ${countOf(blind, 'volume')}` : `${known}, ${unknown} for ${blind}`;
}

/** Why something is not known, each reason once. */
export const unknownReasons = (services: readonly Service[]): readonly string[] => [
  ...new Set(
    services.flatMap((service) => {
      if (service.by === 'unknown') return [service.why];
      if (service.by !== 'daemons') return [];
      return service.daemons.flatMap(({ command, pid, home }) =>
        home.kind === 'unknown' ? [`${command} (pid ${pid}): ${home.why}`] : [],
      );
    }),
  ),
];
