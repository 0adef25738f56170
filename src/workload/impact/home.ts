import { supervisionOf } from '../../kubelet/supervision.ts';
import { unitIn } from '../../kubelet/systemd-unit.ts';
import type { FuseDaemon } from '../../model/daemons.ts';
import type { NodeEvidence } from '../../model/evidence.ts';
import { keyText, type ObjectKey } from '../../model/ids.ts';
import type { Home } from '../../model/impact.ts';
import type { Observed } from '../../model/observed.ts';
import type { PodFacts } from '../pods.ts';

/** What daemons of one node are placed by. */
export interface Surroundings {
  readonly pods: Observed<readonly PodFacts[]>;
  /** Node plugins' pods. */
  readonly plugins: readonly ObjectKey[];
  readonly kubelet: NodeEvidence['kubelet'];
}

const short = (containerId: string) => containerId.slice(0, 12);

/** Where a daemon lives. A process belongs to the container whose cgroup it is in, wherever its namespaces are. */
export function homeOf({ containerId, cgroups, hostPids }: FuseDaemon, around: Surroundings): Home {
  if (containerId) return containerHome(containerId, around);
  if (hostPids !== true)
    return { kind: 'unknown', why: 'it is in a PID namespace of its own and in no container of Kubernetes' };
  const unit = unitIn(cgroups);
  if (!unit) return { kind: 'process' };
  return unit === kubeletUnit(around) ? { kind: 'kubelet', unit } : { kind: 'unit', unit };
}

function containerHome(containerId: string, { pods, plugins }: Surroundings): Home {
  if (!pods.seen) return { kind: 'unknown', why: pods.why };
  for (const { key, containers } of pods.value) {
    const container = containers.find((each) => each.containerId === containerId);
    if (!container) continue;
    const kind = plugins.some((plugin) => keyText(plugin) === keyText(key)) ? 'plugin' : 'pod';
    return { kind, pod: key, container: container.name };
  }
  return { kind: 'unknown', why: `container ${short(containerId)} is of no pod that the API server knows` };
}

const kubeletUnit = ({ kubelet }: Surroundings) => (kubelet.seen ? unitIn(kubelet.value.cgroups) : undefined);

/**
 * systemd ends every process of a unit's cgroup with it unless KillMode says otherwise (systemd.kill(5)), and the units
 * of distributions that embed kubelet do say so (k3s: KillMode=process).
 */
export function diesWithKubelet({ kubelet }: Pick<Surroundings, 'kubelet'>): boolean | undefined {
  if (!kubelet.seen) return undefined;
  return supervisionOf(kubelet.value).kind === 'unit' ? true : undefined;
}
