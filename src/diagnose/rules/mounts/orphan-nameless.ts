import { volumeData } from '../../../kubelet/volume-data.ts';
import type { PublishedTarget } from '../../../model/mounts.ts';
import { type Draft, defineRule, well } from '../../define-rule.ts';
import { isOrphan, removal } from '../../orphans.ts';
import type { NodeView } from '../../view.ts';

/** Without vol_data.json kubelet does not know which driver to ask, and asks itself ten times a second (seen with 1.34). */
export default defineRule({
  id: 'orphan-nameless',
  incident: 'mounts',
  scope: 'node',
  title: 'A volume without vol_data.json, of a pod that no longer exists',
  needs: ['agent'],
  reasons: {
    'data-lost':
      'The file in which kubelet keeps whose volume it is is gone or broken. Kubelet fails to take the volume down, many times a second, and its log fills.',
  },
  check(node) {
    const { evidence, snapshot } = node;
    if (!evidence.seen || !evidence.value.mounts.seen) return well; // the rules about volumes say so
    const nameless = evidence.value.mounts.value.published.filter(isNameless);
    const orphans = nameless.map((target) => ({ target, orphan: isOrphan(snapshot, target) }));
    return {
      found: orphans.flatMap(({ target, orphan }) =>
        orphan.seen && orphan.value ? [draft(node, target)] : [],
      ),
      blind: orphans.flatMap(({ orphan }) =>
        orphan.seen ? [] : [{ subject: { node: node.node.name }, why: orphan.why }],
      ),
    };
  },
});

const isNameless = ({ volData }: PublishedTarget) => !volumeData(volData)?.driverName;

function draft({ node }: NodeView, target: PublishedTarget): Draft<'data-lost'> {
  const mounted = target.state !== 'bare' && target.state !== 'absent';
  return {
    reason: 'data-lost',
    severity: 'warning',
    subject: { node: node.name, volumeName: target.specName },
    summary: `${target.specName} of pod UID ${target.podUid}, which does not exist, has no vol_data.json`,
    proofs: [
      {
        what: `${target.path} is ${target.state}, and beside it is no vol_data.json`,
        source: "kubelet's root",
      },
      { what: 'no pod on the node has this UID', source: 'API server' },
    ],
    cure: mounted
      ? `on ${node.name}, in kubelet's mount namespace: umount ${target.path}; then rmdir ${target.path} ${target.path.replace(/\/mount$/, '')}. Never rm -r: it would reach into the volume`
      : removal(node.name, target),
  };
}
