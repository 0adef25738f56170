import { guardsOfVolumes } from '../../diagnose/mounts.ts';
import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import type { Unit } from '../../plan/repair-spec.ts';
import { defineRepair } from '../define-repair.ts';
import { unguardAll } from '../remount/guards.ts';

/** For a volume with which nothing else is wrong; else its own repair does it at the end. */
export default defineRepair({
  id: 'unguard',
  title: 'Take the immutable flag off the directory under a volume',
  rank: 10,
  risk: 'safe',
  cures: [{ rule: 'guard-beneath', reasons: ['cut-off'] }],
  describe: (unit, node) => `take the immutable flag off ${guardsOf(unit, node).join(', ')}`,
  bars({ findings, node: name }, node) {
    const other = findings.find(({ rule }) => rule !== 'guard-beneath');
    if (other) return `it goes with the repair of ${other.rule}`;
    return guardsOf({ findings, node: name }, node).length > 0
      ? undefined
      : 'it has no immutable flag any more';
  },
  act: ({ unit, view, node }) => unguardAll(node, view, new Set(guardsOf(unit, view))),
  async verify({ unit, node }) {
    const left = guardsOf(unit, await node.observe());
    return left.length > 0 ? `still immutable: ${left.join(', ')}` : undefined;
  },
  undo: { nothing: 'the flag protects nothing there' },
});

const guardsOf = (unit: Unit, node: NodeView) => guardsOfVolumes(volumesOfUnit(unit, node));

/** Of pods that are going as well. */
function volumesOfUnit({ findings }: Unit, { volumes }: NodeView): readonly VolumeView[] {
  const subject = findings[0]?.subject;
  if (!volumes.seen) return [];
  return volumes.value.filter(
    ({ driver, handle }) => driver === subject?.driver && handle === subject.volume,
  );
}
