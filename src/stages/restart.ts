import type { V1DaemonSet } from '@kubernetes/client-node';
import type { CommandContext } from '../cli/context.ts';
import { parseDuration } from '../cli/duration.ts';
import type { ExitCode } from '../cli/exit-code.ts';
import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { Api } from '../cluster/api.ts';
import type { Wire } from '../kubelet/wire.ts';
import { type DriverName, driverName, keyText, type ObjectKey } from '../model/ids.ts';
import { planRequested } from '../plan/make-plan.ts';
import { managedBy, meshOptOut } from '../reach/pod/labels.ts';
import { restartRepair } from '../repair/handover/repair.ts';
import type { PluginTemplate, RestartOptions } from '../repair/handover/way.ts';
import { carryOut, type Intent, intentOf } from './heal.ts';
import { judge } from './judge.ts';
import { type LiveSight, visit } from './look.ts';

/** Seconds: a restart of many nodes, one after the other, takes longer than a repair. */
const podDeadline = 4 * 3600;
/** Seconds besides the drains, of which there are two: both drivers start, and all is published and moved twice. */
const oneNodeDeadline = 1_800;
/** Milliseconds. */
const longestDrain = 3_600_000;

/** Restarts a driver's node plugins, as many at a time as the user allows, and stops at the first that fails. */
export async function restart(context: CommandContext, flags: Flags): Promise<ExitCode> {
  const intent: Intent = {
    ...intentOf(context, { ...flags, 'max-risk': 'disruptive', 'max-failures': 1 }),
    nodesAtOnce: nodesAtOnceOf(flags),
  };
  const wanted = {
    driver: driverName(flags.driver as string),
    handover: flags.handover !== false,
    force: intent.force,
    drainMs: drainOf(flags),
  };
  const access = intent.dryRun ? 'read' : 'repair';
  const isOne = (flags.node as readonly string[] | undefined)?.length === 1;
  const deadline = isOne ? oneNodeDeadline + Math.ceil((2 * wanted.drainMs) / 1000) : podDeadline;
  const sight = await visit(context, flags, { access, ...(!intent.dryRun && { deadline }) });
  try {
    const daemonSets = await templatesOf(sight, wanted.driver, context.signal);
    const metadata = { labels: managedBy, annotations: meshOptOut };
    return await perform(context, sight, { ...wanted, daemonSets, metadata }, intent, flags.all === true);
  } finally {
    await sight.close();
  }
}

function drainOf(flags: Flags): number {
  const drainMs = parseDuration('drain-timeout', flags['drain-timeout'] as string);
  if (drainMs <= longestDrain) return drainMs;
  throw new UsageError('--drain-timeout is 1h at most', 'End what holds the files open, or say --force.');
}

function nodesAtOnceOf(flags: Flags): number {
  const value = flags['max-unavailable'] as number;
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(
      '--max-unavailable wants a whole number of at least 1',
      'Leave it out for one node at a time.',
    );
  return value;
}

async function perform(
  context: CommandContext,
  sight: LiveSight,
  options: RestartOptions,
  intent: Intent,
  all: boolean,
): Promise<ExitCode> {
  const repair = restartRepair(options);
  const { blindSpots } = judge(sight);
  const diagnosis = { findings: [], blindSpots: blindSpots.filter(({ subject }) => !subject.driver) };
  const plan = planRequested(repair, nodesWith(sight, options.driver, all), intent);
  const choice = { repairs: [repair], concerns: () => true };
  return carryOut(context, sight, plan, diagnosis, choice, intent);
}

/** All nodes means those where the driver is, or where a handover of it stands. */
function nodesWith({ view }: LiveSight, driver: DriverName, all: boolean) {
  if (!all) return view.nodes;
  const seconds = view.snapshot.secondPlugins;
  return view.nodes.filter(
    ({ node, drivers }) =>
      drivers.some((each) => each.driver === driver && each.pod) ||
      (seconds?.seen && seconds.value.some((each) => each.node === node.name && each.driver === driver)),
  );
}

/** The templates of the driver's DaemonSets as they are now: an upgrade waits in them. */
async function templatesOf(
  { api, view }: LiveSight,
  driver: DriverName,
  signal: AbortSignal,
): Promise<readonly PluginTemplate[]> {
  const here = view.nodes.flatMap(({ drivers }) => drivers.filter((each) => each.driver === driver));
  const keys = here.flatMap(({ pod, daemonSet }): readonly ObjectKey[] => {
    const owner = pod?.owner?.startsWith('DaemonSet/') ? pod.owner.slice('DaemonSet/'.length) : undefined;
    return [
      ...(pod && owner ? [{ namespace: pod.key.namespace, name: owner }] : []),
      ...(daemonSet ? [daemonSet.key] : []),
    ];
  });
  const unique = new Map(keys.map((key) => [keyText(key), key])).values();
  return Promise.all([...unique].map((key) => templateOf(api, key, signal)));
}

async function templateOf(api: Api, key: ObjectKey, signal: AbortSignal): Promise<PluginTemplate> {
  const path = `/apis/apps/v1/namespaces/${key.namespace}/daemonsets/${key.name}`;
  const { spec } = await api.get<Wire<V1DaemonSet>>(path, {}, { signal });
  return { key, template: spec?.template ?? {} };
}
