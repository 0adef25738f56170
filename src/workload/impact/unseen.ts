import type { NodeView } from '../../diagnose/view.ts';
import type { Observed } from '../../model/observed.ts';

/** Why an answer about a node may lack volumes, daemons or their homes. Empty: all of it was seen. */
export function unseenOn({ volumes, snapshot }: NodeView, pods: Observed<unknown>): readonly string[] {
  const { volumeUses, daemonSets, pluginPods } = snapshot;
  const reasons = [volumes, volumeUses, daemonSets, pluginPods, pods].flatMap((each) =>
    each.seen ? [] : each.why,
  );
  return [...new Set(reasons)];
}
