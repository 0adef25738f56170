import type { VolumeView } from '../../diagnose/view.ts';
import { containerIdIn } from '../../kubelet/container-id.ts';
import { only } from '../../protocol/answers.ts';
import { agentArgs, type HolderRecord } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import { volumesOf } from './units.ts';

/**
 * What apps still hold of the dead file systems: it stays dead whatever is mounted, until they let go of it. Only new
 * opens recover.
 */
export async function deadRemains({ unit, view, node }: Work): Promise<readonly string[]> {
  const volumes = volumesOf(unit, view);
  const device = deadDevices(volumes);
  if (device.length === 0) return [];
  const holders = only(await node.agent(agentArgs.holders({ device })), 'holder');
  return holders.flatMap((holder) => remainText(holder, volumes));
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
function remainText(holder: HolderRecord, volumes: readonly VolumeView[]): readonly string[] {
  const id = containerIdIn(holder.cgroup);
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
