import { missingRights, type Right, rightText } from '../cluster/access.ts';
import type { Api } from '../cluster/api.ts';
import { mapConcurrent } from '../model/concurrent.ts';
import { errorText } from '../model/error-text.ts';
import type { NodeEvidence } from '../model/evidence.ts';
import type { NodeName } from '../model/ids.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import type { NodeSnapshot } from '../model/snapshot.ts';
import { askDaemons } from './evidence/daemon-evidence.ts';
import { evidenceOf } from './evidence/evidence.ts';
import { observe, observeCommand, selfTest } from './evidence/observe.ts';
import type { PlaceOptions } from './pod/places.ts';
import type { Access } from './pod/pod-spec.ts';
import { askOnce, type NodeSession, openSession } from './session/session.ts';
import { startVisit, type Visit } from './visit.ts';

export interface ReachOptions extends PlaceOptions {
  readonly access: Access;
  /** Nodes that are visited at the same time. */
  readonly concurrency: number;
  /** Milliseconds that a node has to answer in; it is `<unknown>` after that. 0 is without limit. */
  readonly nodeTimeoutMs: number;
  /** Seconds after which the pods end by themselves. */
  readonly deadline: number;
  /** Also test whether the registry delivers events: writes a dot-file there. */
  readonly probe: boolean;
  /** Also ask who serves the FUSE mounts. */
  readonly daemons: boolean;
  readonly onProgress: (done: number, all: number) => void;
}

export interface NodeVisit {
  readonly node: NodeName;
  readonly evidence: Observed<NodeEvidence>;
  /** Absent where no session could be opened, or none is needed any more. */
  readonly session?: NodeSession;
}

export interface Reach {
  readonly run: string;
  readonly visits: readonly NodeVisit[];
  /** Deletes all that the run made. @returns what could not be deleted, in words */
  close(): Promise<readonly string[]>;
}

/** Looks at nodes through debug pods. One node that does not answer never keeps the others from being seen. */
export async function reachNodes(
  api: Api,
  nodes: readonly NodeSnapshot[],
  options: ReachOptions,
  signal: AbortSignal,
): Promise<Reach> {
  const visit = startVisit(api, options, options.deadline);
  const sessions: NodeSession[] = [];
  const close = async () => {
    const failures = await Promise.all(sessions.map((session) => session.close()));
    return [...failures.filter((failure) => failure !== undefined), ...(await visit.carriers.remove())];
  };
  try {
    const mayExec = await canExec(api, options, signal);
    let done = 0;
    const visits = await mapConcurrent(nodes, options.concurrency, async (node) => {
      const result = await visitNode(visit, node, options, mayExec, sessions, signal);
      done += 1;
      options.onProgress(done, nodes.length);
      return result;
    });
    signal.throwIfAborted();
    return { run: visit.run.id, visits, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Exec over WebSocket asks for `get`, and from Kubernetes 1.35 on for `create` (kubernetes/kubernetes#134577). */
async function canExec(api: Api, { namespace }: ReachOptions, signal: AbortSignal): Promise<Observed<true>> {
  const rights: readonly Right[] = ['get', 'create'].map((verb) => ({
    verb,
    group: '',
    resource: 'pods',
    subresource: 'exec',
    ...(namespace && { namespace }),
  }));
  const missing = await missingRights(api, rights, { signal });
  return missing.length === 0 ? seen(true) : unseen(`no right to ${missing.map(rightText).join(', ')}`);
}

const never = new AbortController().signal;

async function visitNode(
  visit: Visit,
  node: NodeSnapshot,
  options: ReachOptions,
  mayExec: Observed<true>,
  sessions: NodeSession[],
  signal: AbortSignal,
): Promise<NodeVisit> {
  if (node.unreachable) return { node: node.name, evidence: unseen(node.unreachable) };
  const limit = options.nodeTimeoutMs > 0 ? AbortSignal.timeout(options.nodeTimeoutMs) : never;
  const within = AbortSignal.any([signal, limit]);
  try {
    if (!mayExec.seen) return await visitOnce(visit, node, mayExec.why, within);
    const session = await openSession(visit, node, options.access, within);
    sessions.push(session);
    const evidence = await observe(session, within);
    const more = {
      ...(options.probe && { selfTest: await selfTest(session, evidence, within) }),
      ...(options.daemons && { daemons: await askDaemons(session, within) }),
    };
    return { node: node.name, evidence: seen({ ...evidence, ...more }), session };
  } catch (error) {
    const why =
      limit.aborted && !signal.aborted
        ? `no answer within ${options.nodeTimeoutMs / 1000} s`
        : errorText(error);
    return { node: node.name, evidence: unseen(why) };
  }
}

/** Without exec the sockets cannot be asked: their answers stay unseen, and say so. */
async function visitOnce(
  visit: Visit,
  node: NodeSnapshot,
  why: string,
  signal: AbortSignal,
): Promise<NodeVisit> {
  const evidence = evidenceOf(
    await askOnce(visit, node, observeCommand, signal),
    new Date().toISOString(),
    why,
  );
  return { node: node.name, evidence: seen(evidence) };
}
