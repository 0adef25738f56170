import type { CommandContext } from '../cli/context.ts';
import { type ExitCode, exitCode } from '../cli/exit-code.ts';
import type { Flags } from '../cli/global-flags.ts';
import type { DriverView } from '../diagnose/view.ts';
import { keyText } from '../model/ids.ts';
import type { VolumeImpact } from '../model/impact.ts';
import type { Observed } from '../model/observed.ts';
import type { BlastRadiusReport, PluginRadius } from '../render/report.ts';
import { impactOn } from '../workload/impact/impact.ts';
import { tollOf } from '../workload/impact/toll.ts';
import { unseenOn } from '../workload/impact/unseen.ts';
import type { PodFacts } from '../workload/pods.ts';
import { type Sight, visit } from './look.ts';

/** What was looked at, and every CSI volume in scope with who serves it. */
export interface Radius {
  readonly sight: Sight;
  readonly volumes: readonly VolumeImpact[];
  /** All pods of the nodes in scope. */
  readonly pods: Observed<readonly PodFacts[]>;
}

/** Visits the nodes in scope and asks who serves which volume. */
export async function radiusOf(context: CommandContext, flags: Flags): Promise<Radius> {
  const { readPodsOn } = await import('../cluster/workloads/pods.ts');
  const { readOwnerIndex } = await import('../cluster/workloads/owner-index.ts');
  const sight = await visit(context, flags, { access: 'read', daemons: true });
  try {
    const nodes = sight.view.nodes.map(({ node }) => node.name);
    const [pods, owners] = await Promise.all([
      readPodsOn(sight.api, nodes, context.signal),
      readOwnerIndex(sight.api, context.signal),
    ]);
    const volumes = sight.view.nodes.flatMap((node) => impactOn(node, { pods, owners }));
    return { sight, pods, volumes: volumes.filter((volume) => isInScope(volume, sight)) };
  } finally {
    await sight.close();
  }
}

const isInScope = ({ driver, pod, node }: VolumeImpact, { scope, uses }: Sight) =>
  (scope.driver === undefined || scope.driver === driver) &&
  (uses === undefined || uses.some((use) => use.node === node && keyText(use.pod) === keyText(pod)));

export function blastRadius({ sight, volumes, pods }: Radius): BlastRadiusReport {
  const { view, scope } = sight;
  const drivers = view.nodes
    .flatMap((node) => node.drivers)
    .filter(({ driver }) => scope.driver === undefined || driver === scope.driver);
  return {
    kind: 'BlastRadius',
    takenAt: view.snapshot.takenAt,
    plugins: drivers.map((driver) => pluginRadius(driver, volumes)),
    volumes,
    unseen: view.nodes.flatMap((node) => unseenOn(node, pods).map((why) => ({ node: node.node.name, why }))),
  };
}

function pluginRadius(
  { node, driver, pod, daemonSet }: DriverView,
  volumes: readonly VolumeImpact[],
): PluginRadius {
  const own = volumes.filter((volume) => volume.node === node && volume.driver === driver);
  return {
    node,
    driver,
    ...(pod && { pod: keyText(pod.key) }),
    ...(daemonSet && { daemonSet: keyText(daemonSet.key) }),
    onPluginRestart: tollOf(own, ({ onPluginRestart }) => onPluginRestart),
    onKubeletRestart: tollOf(own, ({ onKubeletRestart }) => onKubeletRestart),
  };
}

/** What dies is no fault yet; what could not be seen is. */
export const codeOfRadius = ({ volumes, unseen }: BlastRadiusReport): ExitCode =>
  unseen.length > 0 || volumes.some(({ onPluginRestart }) => onPluginRestart === 'unknown')
    ? exitCode.unseen
    : exitCode.well;
