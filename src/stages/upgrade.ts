import type { CommandContext } from '../cli/context.ts';
import { type ExitCode, exitCode } from '../cli/exit-code.ts';
import { type Flags, text } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { RolloutState } from '../cluster/workloads/daemon-set.ts';
import { keyText, type ObjectKey } from '../model/ids.ts';
import type { VolumeImpact } from '../model/impact.ts';
import { valueOr } from '../model/observed.ts';
import type { UpgradeCheckReport, UpgradeNode } from '../render/report.ts';
import { canRunTwice } from '../workload/handover.ts';
import { concernedBy } from '../workload/impact/retarget.ts';
import { tollOf } from '../workload/impact/toll.ts';
import { type PodFacts, revisionLabel } from '../workload/pods.ts';
import { blastRadius, type Radius, radiusOf } from './radius.ts';

const kinds = /^(ds|daemonsets?(\.apps)?)$/i;

/** @throws UsageError */
export function daemonSetOf(word: string, namespace: string): ObjectKey {
  const [kind = '', name, ...rest] = word.split('/');
  if (name && rest.length === 0 && kinds.test(kind)) return { namespace, name };
  throw new UsageError(
    `"${word}" names no DaemonSet`,
    `Write it as ds/NAME, with -n for the namespace. kubectl get daemonsets -A lists them.`,
  );
}

/** What a rollout of a DaemonSet would kill. */
export async function upgradeCheck(context: CommandContext, flags: Flags): Promise<UpgradeCheckReport> {
  const connection = await context.connect();
  const key = daemonSetOf(String(flags.daemonset), text(flags, 'namespace') ?? connection.namespace);
  const { readRollout } = await import('../cluster/workloads/daemon-set.ts');
  const { isNotFound } = await import('../cluster/errors.ts');
  const rollout = await readRollout(connection.api, key, context.signal).catch((error: unknown) => {
    throw isNotFound(error) ? noSuchSet(key) : error;
  });
  const nodes = nodesOf(rollout, key, flags.node as readonly string[] | undefined);
  if (nodes.length === 0) return reportOf(key, { ...rollout, pods: [] }, undefined);
  const pods = rollout.pods.filter(({ node }) => node !== undefined && nodes.includes(node));
  const scope = { ...flags, node: nodes, namespace: undefined };
  const radius = await radiusOf({ ...context, connect: async () => connection }, scope);
  return reportOf(key, { ...rollout, pods }, radius);
}

const noSuchSet = ({ namespace, name }: ObjectKey) =>
  new UsageError(
    `there is no DaemonSet "${name}" in namespace ${namespace}`,
    'kubectl get daemonsets -A lists them; name its namespace with -n.',
  );

function reportOf(key: ObjectKey, rollout: RolloutState, radius: Radius | undefined): UpgradeCheckReport {
  const drivers = radius ? driversOf(radius, key) : [];
  const volumes = radius ? volumesOf(radius, rollout, drivers) : [];
  const unseen = radius ? blastRadius(radius).unseen : [];
  const verdict = verdictOf(volumes, unseen.length > 0);
  const handover = canRunTwice(rollout.daemonSet.spec?.template ?? {});
  return {
    kind: 'UpgradeCheck',
    takenAt: radius?.sight.view.snapshot.takenAt ?? new Date().toISOString(),
    daemonSet: keyText(key),
    drivers,
    strategy: strategyOf(rollout),
    nodes: rollout.pods.map((pod) => upgradeNode(pod, rollout, volumes)),
    volumes,
    unseen,
    verdict,
    handover: handover.possible ? { possible: true, cautions: handover.cautions } : handover,
    next: nextOf(verdict, handover.possible, key, drivers),
  };
}

const volumesOf = ({ volumes }: Radius, { pods }: RolloutState, drivers: readonly string[]) =>
  concernedBy(volumes, new Set(pods.map(({ key }) => keyText(key))), drivers);

/** @throws UsageError for a node that was named and has no pod of it */
function nodesOf(
  { pods }: RolloutState,
  key: ObjectKey,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const all = [...new Set(pods.flatMap(({ node }) => node ?? []))];
  if (!wanted?.length) return all;
  const missing = wanted.find((name) => !all.includes(name as (typeof all)[number]));
  if (missing === undefined) return wanted;
  throw new UsageError(
    `DaemonSet ${keyText(key)} has no pod on node "${missing}"`,
    `kubectl get pods -n ${key.namespace} -o wide lists them.`,
  );
}

const driversOf = ({ sight }: Radius, key: ObjectKey): readonly string[] => [
  ...new Set(
    sight.view.nodes
      .flatMap(({ drivers }) => drivers)
      .filter(({ daemonSet }) => daemonSet && keyText(daemonSet.key) === keyText(key))
      .map(({ driver }) => driver),
  ),
];

function strategyOf({ daemonSet }: RolloutState): UpgradeCheckReport['strategy'] {
  const { type = 'RollingUpdate', rollingUpdate = {} } = daemonSet.spec?.updateStrategy ?? {};
  const { maxUnavailable, maxSurge } = rollingUpdate;
  return {
    type,
    ...(maxUnavailable !== undefined && { maxUnavailable: String(maxUnavailable) }),
    ...(maxSurge !== undefined && { maxSurge: String(maxSurge) }),
  };
}

function upgradeNode(
  { key, node, labels }: PodFacts,
  { newest }: RolloutState,
  volumes: readonly VolumeImpact[],
): UpgradeNode {
  const hash = labels[revisionLabel];
  const latest = valueOr(newest, undefined);
  const own = volumes.filter((volume) => volume.node === node);
  return {
    node: node ?? '',
    pod: keyText(key),
    revision: latest === undefined || hash === undefined ? undefined : hash === latest ? 'current' : 'old',
    toll: tollOf(own, ({ onPluginRestart }) => onPluginRestart),
  };
}

function verdictOf(volumes: readonly VolumeImpact[], blind: boolean): UpgradeCheckReport['verdict'] {
  if (volumes.some(({ onPluginRestart }) => onPluginRestart === 'dies')) return 'kills';
  return blind || volumes.some(({ onPluginRestart }) => onPluginRestart === 'unknown') ? 'unknown' : 'safe';
}

function nextOf(
  verdict: UpgradeCheckReport['verdict'],
  handover: boolean,
  key: ObjectKey,
  drivers: readonly string[],
): readonly string[] {
  const rollout = `kubectl rollout restart daemonset/${key.name} -n ${key.namespace}`;
  if (verdict === 'safe') return [rollout];
  if (verdict === 'unknown') return [`kubectl csi doctor --driver ${drivers[0] ?? 'DRIVER'}`];
  const heal = drivers.map((driver) => `kubectl csi remount --driver ${driver}`);
  return handover ? drivers.map((driver) => `kubectl csi restart ${driver} --all`) : [rollout, ...heal];
}

export const codeOfUpgrade = ({ verdict }: UpgradeCheckReport): ExitCode =>
  ({ safe: exitCode.well, kills: exitCode.findings, unknown: exitCode.unseen })[verdict];
