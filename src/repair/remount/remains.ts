import type { VolumeView } from '../../diagnose/view.ts';
import type { Holder } from '../../model/mounts.ts';
import type { Work } from '../define-repair.ts';
import { volumesOf } from './units.ts';

/**
 * What apps held of the dead file systems when the repair began: it stays dead whatever is mounted, until they let go of
 * it. Only new opens recover.
 */
export async function deadRemains({ unit, view }: Work): Promise<readonly string[]> {
  const volumes = volumesOf(unit, view);
  const devices = deadDevices(volumes);
  if (!view.evidence.seen || !view.evidence.value.mounts.seen) return [];
  const { holders } = view.evidence.value.mounts.value;
  return holders
    .filter(({ device }) => devices.includes(device))
    .flatMap((holder) => remainText(holder, volumes));
}

const deadDevices = (volumes: readonly VolumeView[]) => [
  ...new Set(
    volumes
      .flatMap(({ layers, containers }) => [...layers, ...containers.flatMap(({ mount }) => mount ?? [])])
      .filter(({ state }) => state === 'dead')
      .map(({ device }) => device),
  ),
];

/** Processes outside the pods of the volume (a debug pod, a monitoring agent) are not what the user asked about. */
function remainText(holder: Holder, volumes: readonly VolumeView[]): readonly string[] {
  const id = holder.containerId;
  const owner = volumes
    .flatMap(({ containers, use }) => containers.map((container) => ({ container, use })))
    .find(({ container }) => id !== undefined && container.namespace?.containerId === id);
  if (!owner) return [];
  const parts = [
    ...(holder.descriptors > 0 ? [`${holder.descriptors} open descriptors`] : []),
    ...(holder.workingDirectory ? ['its working directory'] : []),
    ...(holder.mappings > 0 ? [`${holder.mappings} mappings`] : []),
  ];
  if (parts.length === 0) return [];
  const who = `process ${holder.pid} of container ${owner.container.container} of pod ${owner.use?.pod.name}`;
  return [
    `${who} keeps ${parts.join(', ')} of the dead mount: they fail until it opens them anew or restarts`,
  ];
}
