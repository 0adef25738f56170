import type { Cluster } from '../cluster.ts';
import type { DeployedDriver } from '../deploy.ts';
import type { ClusterNode } from '../node/node.ts';

/** Where an incident happens: one node, and one driver that is registered on it and healthy. */
export interface Scene {
  readonly cluster: Cluster;
  readonly node: ClusterNode;
  readonly driver: DeployedDriver;
}

export interface IncidentDefinition {
  /** The file's name. */
  readonly id: string;
  readonly title: string;
  /** Brings it about, and returns when its effect is there. */
  cause(scene: Scene): Promise<void>;
  /** Restores what was, whatever a repair has done meanwhile; needs nothing that `cause` kept in memory. */
  restore(scene: Scene): Promise<void>;
}

export interface Incident extends IncidentDefinition {
  /** Causes it and returns what restores. */
  apply(cluster: Cluster, node: ClusterNode, driver: DeployedDriver): Promise<() => Promise<void>>;
}

export function defineIncident(definition: IncidentDefinition): Incident {
  return {
    ...definition,
    apply: async (cluster, node, driver) => {
      const scene = { cluster, node, driver };
      try {
        await definition.cause(scene);
      } catch (error) {
        // What took no effect in time may do so later, and befall the next test.
        await definition.restore(scene).catch(() => undefined);
        throw error;
      }
      return () => definition.restore(scene);
    },
  };
}
