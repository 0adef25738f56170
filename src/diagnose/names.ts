import { type DriverName, driverName } from '../model/ids.ts';
import { valueOr } from '../model/observed.ts';
import type { PluginSpec, Snapshot } from '../model/snapshot.ts';

const suffixes = ['-reg.sock', '.sock'];

/** node-driver-registrar names its socket `DRIVER-reg.sock` (cmd/csi-node-driver-registrar, BuildSocketPath). */
export function driverOfSocket(path: string): DriverName | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/^\./, '');
  const suffix = suffixes.find((ending) => name.endsWith(ending));
  return suffix && name.length > suffix.length ? driverName(name.slice(0, -suffix.length)) : undefined;
}

/** Every name that the cluster itself uses for a driver. */
export function knownDrivers(snapshot: Snapshot): ReadonlySet<DriverName> {
  const declared = valueOr(snapshot.csiDrivers, []).map((driver) => driver.name);
  const listed = snapshot.nodes.flatMap((node) => valueOr(node.csiNode, []).map((entry) => entry.driver));
  const held = snapshot.nodes.flatMap(
    (node) => valueOr(node.kubeletPlugins, { actual: [], desired: [] }).actual,
  );
  const used = valueOr(snapshot.volumeUses, []).map((use) => use.driver);
  return new Set([
    ...declared,
    ...listed,
    ...used,
    ...held.map(driverOfSocket).filter((name) => name !== undefined),
  ]);
}

/** The driver that a node plugin registers: the first hint that is a known name, else the first hint. */
export function driverOfPlugin(plugin: PluginSpec, known: ReadonlySet<DriverName>): DriverName | undefined {
  const hints = plugin.nameHints.map(driverName);
  return hints.find((hint) => known.has(hint)) ?? hints[0];
}
