import { userInfo } from 'node:os';
import type { CommandContext } from '../cli/context.ts';
import { recordEvent } from '../cluster/events.ts';
import { holdLease } from '../cluster/lease.ts';
import { type NodeName, nodeName } from '../model/ids.ts';
import { holderIdentity } from '../reach/client-identity.ts';
import { leaseNamespace, managedBy } from '../reach/pod/labels.ts';
import type { Admitted, WorldPort } from '../repair/ports.ts';
import { withGrace } from './grace.ts';
import type { LiveSight } from './look.ts';
import { nodePort } from './node-port.ts';

/** Seconds that a healer's lease lasts without being renewed. */
const leaseSeconds = 30;

/** Milliseconds after an interrupt in which a node still takes commands, and the lease holds: an undo gets 30 s. */
const graceMs = 35_000;

/** The hands that repairs are given: the sessions of a sight, leases and events. */
export function worldOf(sight: LiveSight, context: CommandContext): WorldPort {
  const nodes = new Map(sight.view.nodes.map(({ node }) => [node.name, node]));
  return {
    admit: (node) => admit(sight, node, context.signal),
    async record(object, event) {
      const uid = object.kind === 'Node' ? nodes.get(nodeName(object.name))?.uid : undefined;
      const apiVersion = object.kind === 'DaemonSet' ? 'apps/v1' : 'v1';
      const involved = { apiVersion, ...object, ...(uid && { uid }) };
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
  const holder = holderIdentity(userName(), sight.run);
  const request = {
    name: `kubectl-csi-${node}`,
    namespace: leaseNamespace,
    holder,
    seconds: leaseSeconds,
    labels: managedBy,
  };
  const lease = await holdLease(sight.api, request, withGrace(signal, graceMs));
  return {
    port: nodePort(sight, node, session, lease.signal),
    signal: lease.signal,
    release: async () => {
      await lease.release();
    },
  };
}
