import { keyText, type ObjectKey } from '../../model/ids.ts';
import type { ContainerImpact, Fate, Home, Protection, Service } from '../../model/impact.ts';
import { daemonsOf } from './service.ts';

/** What keeps a volume of this pod alive when the node plugin restarts, or softens its death. */
export function protectionOf(
  pod: ObjectKey,
  services: readonly Service[],
  containers: readonly ContainerImpact[],
  fate: Fate,
): Protection {
  if (fate === 'unknown') return { kind: 'unknown' };
  if (fate === 'dies' || fate === 'dead') return softener(containers);
  const homes = daemonsOf(services).map(({ home }) => home);
  return homes.map((home) => keeper(home, pod)).find((each) => each !== undefined) ?? { kind: 'no-daemon' };
}

function keeper(home: Home, pod: ObjectKey): Protection | undefined {
  switch (home.kind) {
    case 'unit':
    case 'kubelet':
      return { kind: 'unit', unit: home.unit };
    case 'process':
      return { kind: 'process' };
    case 'pod':
      return keyText(home.pod) === keyText(pod)
        ? { kind: 'sidecar', container: home.container }
        : { kind: 'mount-pod', pod: home.pod };
    default:
      return undefined;
  }
}

/** Only what every container has helps the pod. */
function softener(containers: readonly ContainerImpact[]): Protection {
  if (containers.length === 0) return { kind: 'nothing' };
  if (containers.every(({ propagation }) => propagation !== 'None')) return { kind: 'propagation' };
  return { kind: containers.every(({ probed }) => probed) ? 'probe' : 'nothing' };
}
