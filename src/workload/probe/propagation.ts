import type { ContainerPlan, Edit } from '../../model/injection.ts';
import type { CsiContainer, CsiMount } from '../../model/workload.ts';
import { groupOf, nothing, planned, refused } from './plan.ts';

const field = 'mountPropagation';

/**
 * `HostToContainer` for each CSI mount of a container. What the driver mounts on top of its dead mount on the node then
 * shows in the container too; what it unmounts and mounts anew does not.
 */
export function propagationPlan(container: CsiContainer): {
  readonly plan: ContainerPlan;
  readonly edits: readonly Edit[];
} {
  if (container.role === 'init')
    return { plan: nothing(container, 'it ends before the app starts'), edits: [] };
  const open = container.mounts.filter(({ propagation }) => propagation === 'None');
  const wanted = open.filter(({ subPath }) => !subPath);
  if (open.length === 0)
    return { plan: nothing(container, 'its CSI mounts have a propagation already'), edits: [] };
  if (wanted.length === 0) return { plan: refused(container, subPathText(open)), edits: [] };
  const notes = wanted.length < open.length ? [subPathText(open.filter(({ subPath }) => subPath))] : [];
  return {
    plan: planned(container, 'propagate', { paths: wanted.map(({ path }) => String(path)), notes }),
    edits: wanted.map(({ path }) => ({
      path: [groupOf(container), `name=${container.name}`, 'volumeMounts', `mountPath=${path}`, field],
      before: null,
      after: 'HostToContainer',
    })),
  };
}

/** Kubelet binds a subPath to a place of its own (volume-subpaths), on which no driver ever mounts. */
const subPathText = (mounts: readonly CsiMount[]) =>
  `${mounts.map(({ path }) => path).join(', ')}: a subPath is a mount of kubelet's own, which nothing propagates to`;
