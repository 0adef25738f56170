import { countOf } from '../model/count.ts';
import type { DriverName, NodeName } from '../model/ids.ts';
import { valueOr } from '../model/observed.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** A driver on a node that has as many volumes as it takes, or more. */
export interface Crowd {
  readonly node: NodeName;
  readonly driver: DriverName;
  readonly volumes: number;
  readonly limit: number;
}

export const crowdText = ({ driver, node, volumes, limit }: Crowd) =>
  `${countOf(volumes, 'volume')} of ${driver} on ${node}, which takes ${limit}`;

/**
 * Counted as the scheduler counts: every volume once, none of pods that have ended, and no inline one
 * (pkg/scheduler/framework/plugins/nodevolumelimits/csi.go).
 * @param over how many more than the limit it must be
 */
export function overCrowded(
  { nodes, volumeUses }: Snapshot,
  drivers: ReadonlySet<DriverName>,
  over: number,
): readonly Crowd[] {
  return nodes.flatMap(({ name, csiNode }) =>
    valueOr(csiNode, []).flatMap(({ driver, allocatable }): readonly Crowd[] => {
      if (allocatable === undefined || !drivers.has(driver)) return [];
      const uses = valueOr(volumeUses, []).filter(
        (use) =>
          use.node === name &&
          use.driver === driver &&
          use.kind !== 'inline' &&
          use.phase !== 'Succeeded' &&
          use.phase !== 'Failed',
      );
      const volumes = new Set(uses.map(({ volumeHandle }) => volumeHandle)).size;
      return volumes >= allocatable + over ? [{ node: name, driver, volumes, limit: allocatable }] : [];
    }),
  );
}
