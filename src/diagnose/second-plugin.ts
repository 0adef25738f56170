import type { DriverName } from '../model/ids.ts';
import type { SecondPlugin } from '../model/second-plugin.ts';
import type { NodeView } from './view.ts';

/** The second node plugin of a restart that goes on or was interrupted; none where pods could not be read. */
export const secondPluginOf = (
  { node, snapshot }: Pick<NodeView, 'node' | 'snapshot'>,
  driver: DriverName,
): SecondPlugin | undefined =>
  snapshot.secondPlugins?.seen
    ? snapshot.secondPlugins.value.find((each) => each.node === node.name && each.driver === driver)
    : undefined;
