import type { CommandContext } from '../cli/context.ts';
import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { Api } from '../cluster/api.ts';
import type { ApiError } from '../cluster/errors.ts';
import type { Need } from '../diagnose/define-rule.ts';
import { type EvidenceByNode, joinView } from '../diagnose/join.ts';
import { knownDrivers } from '../diagnose/names.ts';
import type { ClusterView } from '../diagnose/view.ts';
import { driverName, type NodeName, nodeName } from '../model/ids.ts';
import type { Snapshot, VolumeUse } from '../model/snapshot.ts';
import type { Access } from '../reach/pod/pod-spec.ts';
import type { NodeVisit } from '../reach/reach.ts';
import { reachOf, type Scope, scopeOf, warnOfLeftovers } from './scope.ts';
import { usesOf } from './target.ts';

/** What was looked at, joined. */
export interface Sight {
  readonly view: ClusterView;
  readonly evidence: EvidenceByNode;
  /** What was observed besides the API server. */
  readonly looked: readonly Need[];
  readonly scope: Scope;
  /** The volumes that the command is about; undefined when it is about everything on these nodes. */
  readonly uses: readonly VolumeUse[] | undefined;
}

/** A sight whose debug pods still stand, for those who want to go on working with them. */
export interface LiveSight extends Sight {
  readonly api: Api;
  readonly run: string;
  readonly visits: readonly NodeVisit[];
  /** Milliseconds since the epoch: nothing that was seen is older. */
  readonly seenAt: number;
  close(): Promise<void>;
}

export interface LookOptions {
  readonly access: Access;
  readonly probe?: boolean;
  /** Seconds that the debug pods last at most, where the usual is too short. */
  readonly deadline?: number;
  /** Ask who serves the FUSE mounts too. */
  readonly daemons?: boolean;
}

/** Seconds; a debug pod outlives a client that was killed by at most this. */
const podDeadline = { read: 300, repair: 1_800 } as const;

/** Reads the API server's word only. */
export async function readOnly(context: CommandContext, flags: Flags): Promise<Sight> {
  const scope = scopeOf(flags);
  reachOf(flags); // refuses what is mistyped, though nothing is reached
  const { api, namespace } = await context.connect();
  const whole = await snapshotOf(context, api, scope);
  const { snapshot, uses } = narrowToTarget(whole, scope, namespace);
  return { view: joinView(snapshot, new Map()), evidence: new Map(), looked: [], scope, uses };
}

/** Reads the API server's word, then visits every node in scope. The caller closes what it gets. */
export async function visit(context: CommandContext, flags: Flags, options: LookOptions): Promise<LiveSight> {
  const scope = scopeOf(flags);
  const reach = reachOf(flags);
  const { api, namespace } = await context.connect();
  const { sweep } = await import('../reach/sweep.ts');
  const { reachNodes } = await import('../reach/reach.ts');
  const [whole] = await Promise.all([
    snapshotOf(context, api, scope),
    sweep(api, context.signal).catch(() => undefined),
  ]);
  const { snapshot, uses } = narrowToTarget(whole, scope, namespace);
  const progress = await context.progress(`looking at ${snapshot.nodes.length} nodes`);
  try {
    const all = {
      ...reach,
      access: options.access,
      probe: options.probe ?? false,
      deadline: options.deadline ?? podDeadline[options.access],
      daemons: options.daemons ?? false,
      onProgress: (done: number, nodes: number) => progress.update(`looked at ${done} of ${nodes} nodes`),
    };
    const seenAt = Date.now();
    const { run, visits, close } = await reachNodes(api, snapshot.nodes, all, context.signal);
    const evidence: EvidenceByNode = new Map(visits.map((each) => [each.node, each.evidence]));
    const view = await settledView(context, api, snapshot, evidence);
    const sight: Sight = { view, evidence, looked: ['agent'], scope, uses };
    return { ...sight, api, run, visits, seenAt, close: async () => warnOfLeftovers(context, await close()) };
  } finally {
    progress.stop();
  }
}

/** Visits, and deletes the debug pods at once. */
export async function look(context: CommandContext, flags: Flags, options: LookOptions): Promise<Sight> {
  const sight = await visit(context, flags, options);
  await sight.close();
  return sight;
}

/** A pod that came while the nodes were visited has a volume there and no pod in the snapshot: read it once more. */
async function settledView(context: CommandContext, api: Api, snapshot: Snapshot, evidence: EvidenceByNode) {
  const view = joinView(snapshot, evidence);
  const isNews = view.nodes.some(
    ({ volumes }) => volumes.seen && volumes.value.some(({ use }) => use === undefined),
  );
  if (!isNews) return view;
  const nodes = snapshot.nodes.map(({ name }) => name);
  const { readSnapshot } = await import('../cluster/snapshot/snapshot.ts');
  const options = { nodes, podsOf: onlyNode(nodes), kubelet: true, signal: context.signal };
  return joinView(await readSnapshot(api, options), evidence);
}

/** Only the nodes on which the target's volumes are. */
export function narrowToTarget(snapshot: Snapshot, { target }: Scope, namespace: string) {
  if (!target) return { snapshot, uses: undefined };
  const uses = usesOf(snapshot, target, namespace);
  const nodes = snapshot.nodes.filter(({ name }) => uses.some(({ node }) => node === name));
  return { snapshot: { ...snapshot, nodes }, uses };
}

async function snapshotOf(context: CommandContext, api: Api, scope: Scope): Promise<Snapshot> {
  const { readSnapshot } = await import('../cluster/snapshot/snapshot.ts');
  const { isApiError } = await import('../cluster/errors.ts');
  const { nodes, selector, target } = scope;
  const podsOf = target ? undefined : onlyNode(nodes);
  const options = { nodes, selector, podsOf, kubelet: true, signal: context.signal };
  const snapshot = await readSnapshot(api, options).catch((error: unknown) => {
    throw isApiError(error) ? scopeError(error, scope) : error;
  });
  checkScope(snapshot, scope);
  return snapshot;
}

const onlyNode = (nodes: readonly string[] | undefined) =>
  nodes?.length === 1 ? nodeName(nodes[0] ?? '') : undefined;

/** What the server says of nodes is about what was typed: a name that no node has, a selector that it cannot read. */
function scopeError(error: ApiError, { selector }: Scope): Error {
  if (error.resource === 'nodes' && error.status === 404) return noSuchNode(error.objectName ?? '');
  if (error.resource === 'nodes' && error.status === 400 && selector)
    return new UsageError(
      `--selector "${selector}" is not understood: ${error.message}`,
      "Write it as for kubectl get -l: key=value, key!=value or 'key in (a,b)'.",
    );
  return error;
}

const noSuchNode = (name: string) =>
  new UsageError(`there is no node "${name}"`, 'kubectl get nodes lists them.');

/** @throws UsageError when the scope is empty because of what was typed */
export function checkScope(snapshot: Snapshot, { nodes, selector, driver }: Scope): void {
  const missing = nodes?.find((name) => !snapshot.nodes.some((node) => node.name === (name as NodeName)));
  if (missing) throw noSuchNode(missing);
  if (snapshot.nodes.length === 0)
    throw new UsageError(
      selector ? `no node has the labels "${selector}"` : 'the cluster has no nodes',
      selector
        ? 'kubectl get nodes --show-labels lists them.'
        : 'Check with kubectl config current-context that this is the cluster you mean.',
    );
  if (!driver || knownDrivers(snapshot).has(driverName(driver))) return;
  const known = [...knownDrivers(snapshot)].sort();
  throw new UsageError(
    `no CSI driver "${driver}" is known in the cluster`,
    known.length > 0
      ? `Known are: ${known.join(', ')}.`
      : 'No CSI driver is known at all; kubectl get csidrivers.',
  );
}
