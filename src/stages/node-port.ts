import { readSnapshot } from '../cluster/snapshot.ts';
import { readReplayInput } from '../cluster/volume-objects.ts';
import { joinView } from '../diagnose/join.ts';
import type { NodeView } from '../diagnose/view.ts';
import { replayOf } from '../kubelet/publish/index.ts';
import { volumeData } from '../kubelet/volume-data.ts';
import type { NodeEvidence } from '../model/evidence.ts';
import type { NodeName } from '../model/ids.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import { nodeClient } from '../reach/csi/node-client.ts';
import { observe } from '../reach/observe.ts';
import type { NodeSession } from '../reach/session.ts';
import type { NodePort } from '../repair/ports.ts';
import type { LiveSight } from './look.ts';

/** One node as repairs may touch it: through the debug pod's agent, the driver's socket and the API server. */
export function nodePort(
  sight: LiveSight,
  name: NodeName,
  session: NodeSession,
  signal: AbortSignal,
): NodePort {
  const { api, run } = sight;
  const view = async (evidence: Observed<NodeEvidence>): Promise<NodeView> => {
    const snapshot = await readSnapshot(api, { nodes: [name], kubelet: true, signal });
    const [node] = joinView(snapshot, new Map([[name, evidence]])).nodes;
    if (!node) throw new Error(`node ${name} is gone`);
    return node;
  };
  return {
    name,
    run,
    agent: (args) => session.run(args, signal),
    converse: (args, waits) => session.converse(args, waits, signal),
    driver: async (kubeletPid, endpoint) => nodeClient(await session.tunnel(kubeletPid, endpoint, signal)),
    async replay(use, { kubeletRoot, capabilities, volData }) {
      const data = volumeData(volData);
      const context = {
        node: name,
        kubeletRoot,
        capabilities,
        volData: data ? seen(data) : unseen('vol_data.json is missing or cannot be read'),
      };
      return replayOf(await readReplayInput(api, use, context, signal));
    },
    deletePod: (key, uid) =>
      api.remove(
        `/api/v1/namespaces/${key.namespace}/pods/${key.name}`,
        { preconditions: { uid } },
        {},
        { signal },
      ),
    look: () => view(unseen('the node itself was not looked at')),
    observe: async () => view(seen(await observe(session, signal))),
  };
}
