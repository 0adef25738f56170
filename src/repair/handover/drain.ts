import { setTimeout as sleep } from 'node:timers/promises';
import type { VolumeView } from '../../diagnose/view.ts';
import { containerIdIn } from '../../kubelet/container-id.ts';
import { keyText } from '../../model/ids.ts';
import { first, legible, only } from '../../protocol/answers.ts';
import { agentArgs, type HolderCountsRecord, type HolderRecord } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import { driverOn, type RestartOptions, volumesOn } from './way.ts';

/**
 * Waits until no process holds anything of these file systems: what stays open dies with their daemon. The driver's own
 * processes do not count.
 * @returns who holds what when the time is up; empty where nobody does
 */
export async function drain(
  work: Work,
  devices: ReadonlySet<string>,
  options: RestartOptions,
  limitMs = options.drainMs,
): Promise<readonly string[]> {
  if (devices.size === 0) return [];
  const own = new Set(driverOn(work.view, options)?.pod?.containers.map(({ containerId }) => containerId));
  const end = Date.now() + limitMs;
  for (;;) {
    const records = await work.node.agent(agentArgs.holders({ device: [...devices] }));
    const volumes = volumesOn(work.view, options.driver);
    const held = [
      ...only(records, 'holder')
        .filter(({ cgroup }) => !own.has(containerIdIn(cgroup) ?? ''))
        .map((holder) => holderText(holder, volumes)),
      ...unreadText(first(records, 'holderCounts')),
    ];
    if (held.length === 0 || Date.now() >= end) return held;
    await sleep(300, undefined, { signal: work.signal });
  }
}

/** Who could not be looked into may hold anything. */
const unreadText = ({ unreadable }: HolderCountsRecord): readonly string[] =>
  unreadable > 0 ? [`${unreadable} processes could not be looked into`] : [];

function holderText(holder: HolderRecord, volumes: readonly VolumeView[]): string {
  const id = containerIdIn(holder.cgroup);
  const owner = volumes
    .flatMap(({ containers, use }) => containers.map((container) => ({ container, use })))
    .find(({ container }) => id !== undefined && container.namespace?.containerId === id);
  const where = owner?.use
    ? ` of container ${owner.container.container} of pod ${keyText(owner.use.pod)}`
    : '';
  const what = [
    ...(holder.descriptors > 0 ? [`${holder.descriptors} open descriptors`] : []),
    ...(holder.workingDirectory ? ['its working directory'] : []),
    ...(holder.rootDirectory ? ['its root directory'] : []),
    ...(holder.mappings > 0 ? [`${holder.mappings} mappings`] : []),
  ];
  return `process ${holder.pid} (${legible(holder.comm)})${where} holds ${what.join(', ')}`;
}
