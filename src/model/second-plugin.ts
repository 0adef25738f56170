import type { DriverName, NodeName, ObjectKey } from './ids.ts';

/** A second node plugin that carries a driver's volumes while the first one restarts. */
export interface SecondPlugin {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly node: NodeName;
  readonly driver: DriverName;
  /** UID of the node plugin's pod that is to be restarted. */
  readonly replaces: string;
  readonly deleting: boolean;
  readonly phase: string;
  /** RFC 3339. */
  readonly createdAt: string;
}
