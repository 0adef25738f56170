import { keyText } from '../../model/ids.ts';
import type { Fate, Toll, VolumeImpact } from '../../model/impact.ts';

const distinct = (texts: readonly string[]) => [...new Set(texts)].sort();

/** What a restart costs; `fate` says which. */
export function tollOf(volumes: readonly VolumeImpact[], fate: (volume: VolumeImpact) => Fate): Toll {
  const count = (wanted: Fate) => volumes.filter((volume) => fate(volume) === wanted).length;
  const dying = volumes.filter((volume) => fate(volume) === 'dies');
  return {
    dies: dying.length,
    survives: count('survives'),
    dead: count('dead'),
    unknown: count('unknown'),
    pods: distinct(dying.map(({ pod }) => keyText(pod))),
    workloads: distinct(
      dying.map(({ pod, workload }) => `${pod.namespace}/${workload ?? `Pod/${pod.name}`}`),
    ),
  };
}
