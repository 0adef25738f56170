import { keyText } from '../../../model/ids.ts';
import type { SecondPlugin } from '../../../model/second-plugin.ts';
import { defineRule, well } from '../../define-rule.ts';
import { secondPluginOf } from '../../second-plugin.ts';

const startedOf = ({ createdAt }: SecondPlugin) => (createdAt ? ` since ${createdAt}` : '');

/** The volumes of such a node live on the second driver's pod, which no controller would make again. */
export default defineRule({
  id: 'handover-unfinished',
  incident: 'mounts',
  scope: 'driver',
  title: 'A restart with handover goes on, or was interrupted',
  needs: [],
  reasons: {
    'second-driver':
      'A second node plugin runs beside the first and may carry the volumes of running containers: its end would be theirs. Nothing is dead, and heal leaves it as it is. The command that began it completes it from where it stands.',
  },
  check({ node, driver }, view) {
    const plugins = view.snapshot.secondPlugins;
    if (!plugins) return well;
    if (!plugins.seen) return { blind: [{ subject: { node, driver }, why: plugins.why }] };
    const second = secondPluginOf(view, driver);
    if (!second) return well;
    return {
      found: [
        {
          reason: 'second-driver',
          severity: 'warning',
          subject: { node, driver, pod: second.key },
          summary: `a second driver runs beside the node plugin of ${driver}: a handover goes on, or was interrupted`,
          proofs: [
            {
              what: `pod ${keyText(second.key)} is ${second.deleting ? 'ending' : second.phase}${startedOf(second)}`,
              source: 'API server',
            },
          ],
          cure: `unless somebody restarts it right now: kubectl csi restart ${driver} --node ${node}`,
        },
      ],
    };
  },
});
