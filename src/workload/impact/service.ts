import type { DaemonEvidence, FuseDaemon } from '../../model/daemons.ts';
import type { Daemon, Service } from '../../model/impact.ts';
import type { ObservedMount } from '../../model/mounts.ts';
import { type Observed, valueOr } from '../../model/observed.ts';
import { homeOf, type Surroundings } from './home.ts';

export const isFuse = ({ fsType }: Pick<ObservedMount, 'fsType'>) => /^fuse(blk)?(\.|$)/.test(fsType);

/**
 * File systems of the kernel behind which a process of this node stands: rbd-nbd of ceph-csi and the TLS proxy of
 * efs-csi live in the node plugin's container.
 */
const local: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^(nfs|cifs|smb3|9p)/, /^(\/\/)?(127\.|localhost[:/]|\[?::1)/, 'a server on this node'],
  [/./, /^\/dev\/(nbd|ublkb)\d/, 'a process on this node'],
];

const localServer = ({ fsType, source }: ObservedMount) =>
  local.find(([type, from]) => type.test(fsType) && from.test(source))?.[2];

/** Who serves a mount. */
export function serviceOf(
  mount: ObservedMount,
  daemons: Observed<DaemonEvidence>,
  around: Surroundings,
): Service {
  const { fsType, source, device } = mount;
  if (!isFuse(mount)) {
    const server = localServer(mount);
    return server
      ? { by: 'unknown', fsType, why: `${server} stands behind ${source}; which one is not known` }
      : { by: 'kernel', fsType };
  }
  if (mount.state === 'dead') return { by: 'nobody', fsType };
  if (!daemons.seen) return { by: 'unknown', fsType, why: daemons.why };
  const found = serving(device, daemons.value, around);
  if (found.length > 0) return { by: 'daemons', fsType, daemons: found };
  return { by: 'unknown', fsType, why: whyNobody(device, daemons.value) };
}

const tellsDevices = ({ daemons }: DaemonEvidence) => daemons.some(({ device }) => device !== undefined);

function whyNobody(device: string, evidence: DaemonEvidence): string {
  if (evidence.unreadable > 0)
    return `${evidence.unreadable} processes of the node could not be looked into, and no other serves device ${device}`;
  return tellsDevices(evidence) || evidence.daemons.length === 0
    ? `no process of the node serves device ${device}`
    : "the node's kernel does not tell which process serves which mount, and nothing else does";
}

/** The daemons of a device: by the kernel's word, else inferred. */
function serving(device: string, evidence: DaemonEvidence, around: Surroundings): readonly Daemon[] {
  const as = (proof: Daemon['proof']) => (daemon: FuseDaemon) => daemonOf(daemon, proof, around);
  if (tellsDevices(evidence))
    return evidence.daemons.filter((each) => each.device === device).map(as('kernel'));
  const named = evidence.daemons.filter((each) => each.named.includes(device));
  if (named.length > 0) return named.map(as('command-line'));
  const others = evidence.daemons.filter((each) => each.named.length === 0).map(as('only-home'));
  const homes = new Set(others.map(({ home }) => JSON.stringify(home)));
  return homes.size === 1 && evidence.unreadable === 0 ? others : [];
}

const daemonOf = (daemon: FuseDaemon, proof: Daemon['proof'], around: Surroundings): Daemon => ({
  pid: daemon.pid,
  command: daemon.command,
  home: homeOf(daemon, around),
  proof,
});

/** The kernel's word counts for all once it is known that it gives one. */
export const isInferred = (service: Service) =>
  service.by === 'daemons' && service.daemons.some(({ proof }) => proof !== 'kernel');

export const daemonsOf = (services: readonly Service[]): readonly Daemon[] =>
  services.flatMap((service) => (service.by === 'daemons' ? service.daemons : []));

export const unreadableOf = (daemons: Observed<DaemonEvidence>) =>
  valueOr(daemons, { daemons: [], unreadable: 0 }).unreadable;
