import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import { keyText } from '../../model/ids.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { defineRepair, type Work } from '../define-repair.ts';
import { restartFaults } from '../remount/faults.ts';
import {
  endpointOf,
  notAsOnNode,
  silentDriver,
  toPublish,
  volumesOf,
  volumesOfPods,
} from '../remount/units.ts';
import { untilWell } from '../wait.ts';

/** Milliseconds for a pod to end: its grace period, and kubelet's unpublish after it. */
const limitMs = 150_000;

/** The last rung: what the containers hold beside the volume is lost with the pod. */
export default defineRepair({
  id: 'delete-pod',
  title: 'Delete the pod, for its owner to make a new one',
  rank: 120,
  risk: 'destructive',
  cures: restartFaults,
  describe: (unit, node) =>
    `delete pod ${sick(unit, node)
      .map(({ use }) => (use ? keyText(use.pod) : ''))
      .join(', ')}; ${owners(unit, node)} makes it anew`,
  bars: (unit, node) => ownerBar(sick(unit, node)) ?? driverBar(unit, node),
  async act({ unit, view, node }) {
    for (const { use } of sick(unit, view)) if (use) await node.deletePod(use.pod, use.podUid);
  },
  verify: (work) => untilWell(() => remainsOf(work), limitMs, work.signal, 1_000),
  undo: { nothing: 'a deleted pod does not come back; its owner makes another' },
});

async function remainsOf({ unit, view, node }: Work): Promise<string | undefined> {
  const gone = new Set(sick(unit, view).map(({ use }) => use?.podUid));
  const now = await node.observeVolumes();
  if (!now.volumes.seen) return now.volumes.why;
  const left = now.volumes.value.find(({ target }) => gone.has(target.podUid));
  return left ? `${left.target.path} is still there` : inherited(unit, now);
}

/**
 * Kubelet unstages a volume only when no pod on the node wants it: one that comes before the last has gone is given the
 * dead staging path (MountVolume of operation_generator.go, globally mounted already).
 */
function inherited(unit: Unit, now: NodeView): string | undefined {
  const again = sick(unit, now)[0];
  const pod = again?.use?.pod;
  return pod
    ? `kubelet handed what is dead to its successor ${keyText(pod)}: scale its owner to 0, wait, and back`
    : undefined;
}

const sick = (unit: Unit, node: NodeView): readonly VolumeView[] => {
  const volumes = volumesOf(unit, node);
  const dead = new Set(toPublish(volumes));
  return volumes.filter((volume) => dead.has(volume) || notAsOnNode(volume).length > 0);
};

const owners = (unit: Unit, node: NodeView) =>
  [...new Set(sick(unit, node).flatMap(({ use }) => use?.owner ?? []))].join(', ');

/** Owners that do not make a pod anew as it was: a node's static pod comes from a file, a Job counts its pods. */
const unlike = /^(Node|Job)\//;

function ownerBar(volumes: readonly VolumeView[]): string | undefined {
  for (const { use } of volumes) {
    if (!use) continue;
    if (!use.owner) return `pod ${keyText(use.pod)} has no owner: nobody would make it again`;
    if (unlike.test(use.owner))
      return `pod ${keyText(use.pod)} belongs to ${use.owner}, which would not make the same again`;
  }
  return undefined;
}

/** A new pod needs the drivers of all its volumes, or it waits in ContainerCreating. */
function driverBar(unit: Unit, node: NodeView): string | undefined {
  const silent = volumesOfPods(unit, node).find((volumes) => !endpointOf(volumes, node))?.[0];
  return silent && silentDriver(silent, node);
}
