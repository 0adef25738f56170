import { userInfo } from 'node:os';
import type { CommandContext } from '../cli/context.ts';
import { recordEvent } from '../cluster/events.ts';
import { holdLease } from '../cluster/lease.ts';
import { readSnapshot } from '../cluster/snapshot.ts';
import { joinView } from '../diagnose/join.ts';
import type { NodeView } from '../diagnose/view.ts';
import type { NodeEvidence } from '../model/evidence.ts';
import type { NodeName } from '../model/ids.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import { clientIdentity } from '../reach/client-identity.ts';
import { managedBy } from '../reach/labels.ts';
import { observe } from '../reach/observe.ts';
import type { NodeSession } from '../reach/session.ts';
import type { Admitted, NodePort, WorldPort } from '../repair/ports.ts';
import type { LiveSight } from './look.ts';

/** Seconds that a healer's lease lasts without being renewed. */
const leaseSeconds = 30;

/** The hands that repairs are given: the sessions of a sight, leases and events. */
export function worldOf(sight: LiveSight, context: CommandContext): WorldPort {
  const nodes = new Map(sight.view.nodes.map(({ node }) => [node.name, node]));
  return {
    admit: (node) => admit(sight, node, context.signal),
    async record(node, event) {
      const uid = nodes.get(node)?.uid;
      const involved = { apiVersion: 'v1', kind: 'Node', name: node, ...(uid && { uid }) };
      const failure = await recordEvent(sight.api, { involved, ...event });
      if (failure) context.warn(`warning: ${failure}`);
    },
  };
}

const userName = () => {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
};

async function admit(sight: LiveSight, node: NodeName, signal: AbortSignal): Promise<Admitted> {
  const session = sight.visits.find((visit) => visit.node === node)?.session;
  if (!session) throw new Error('no debug pod runs on the node');
  const holder = `${userName()} on ${clientIdentity()}, run ${sight.run}`;
  const request = {
    name: `kubectl-csi-${node}`,
    namespace: 'kube-system',
    holder,
    seconds: leaseSeconds,
    labels: managedBy,
  };
  const lease = await holdLease(sight.api, request, signal);
  return {
    port: portOf(sight, node, session, lease.signal),
    signal: lease.signal,
    release: async () => {
      await lease.release();
    },
  };
}

function portOf(sight: LiveSight, name: NodeName, session: NodeSession, signal: AbortSignal): NodePort {
  const view = async (evidence: Observed<NodeEvidence>): Promise<NodeView> => {
    const snapshot = await readSnapshot(sight.api, { nodes: [name], kubelet: true, signal });
    const [node] = joinView(snapshot, new Map([[name, evidence]])).nodes;
    if (!node) throw new Error(`node ${name} is gone`);
    return node;
  };
  return {
    name,
    run: sight.run,
    agent: (args) => session.run(args, signal),
    look: () => view(unseen('the node itself was not looked at')),
    observe: async () => view(seen(await observe(session, signal))),
  };
}
