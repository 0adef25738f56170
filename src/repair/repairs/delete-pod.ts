import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import { keyText } from '../../model/ids.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { defineRepair } from '../define-repair.ts';
import { restartFaults } from '../remount/faults.ts';
import { notAsOnNode, toPublish, volumesOf } from '../remount/units.ts';
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
  bars(unit, node) {
    const bare = sick(unit, node).find(({ use }) => !use?.owner);
    return bare?.use ? `pod ${keyText(bare.use.pod)} has no owner: nobody would make it again` : undefined;
  },
  async act({ unit, view, node }) {
    for (const { use } of sick(unit, view)) if (use) await node.deletePod(use.pod, use.podUid);
  },
  verify: ({ unit, view, node, signal }) => {
    const gone = new Set(sick(unit, view).map(({ use }) => use?.podUid));
    return untilWell(
      async () => {
        const now = await node.observe();
        if (!now.volumes.seen) return now.volumes.why;
        const left = now.volumes.value.find(({ target }) => gone.has(target.podUid));
        return left ? `${left.target.path} is still there` : undefined;
      },
      limitMs,
      signal,
      1_000,
    );
  },
  undo: { nothing: 'a deleted pod does not come back; its owner makes another' },
});

const sick = (unit: Unit, node: NodeView): readonly VolumeView[] => {
  const volumes = volumesOf(unit, node);
  const dead = new Set(toPublish(volumes));
  return volumes.filter((volume) => dead.has(volume) || notAsOnNode(volume).length > 0);
};

const owners = (unit: Unit, node: NodeView) =>
  [...new Set(sick(unit, node).flatMap(({ use }) => use?.owner ?? []))].join(', ');
