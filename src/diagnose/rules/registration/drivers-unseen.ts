import type { Observed } from '../../../model/observed.ts';
import type { Blind } from '../../define-rule.ts';
import { defineRule } from '../../define-rule.ts';

/** The other rules are asked for each driver that is known: without its sources the list is short, and looks well. */
export default defineRule<never>({
  id: 'drivers-unseen',
  incident: 'registration',
  scope: 'cluster',
  title: 'Which drivers belong on the nodes could not be seen',
  needs: [],
  reasons: {},
  check: ({ snapshot, nodes }) => ({
    blind: [
      ...[snapshot.csiDrivers, snapshot.daemonSets, snapshot.pluginPods, snapshot.volumeUses].flatMap(
        (source) => blind(source, {}),
      ),
      ...nodes.flatMap(({ node }) => blind(node.csiNode, { node: node.name })),
    ],
  }),
});

const blind = (source: Observed<unknown>, subject: Blind['subject']): readonly Blind[] =>
  source.seen ? [] : [{ subject, why: source.why }];
