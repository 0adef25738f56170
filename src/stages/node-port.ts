import type { V1Pod } from '@kubernetes/client-node';
import { isNotFound } from '../cluster/errors.ts';
import { readReplayInput } from '../cluster/snapshot/volume-objects.ts';
import { replayOf } from '../kubelet/publish/index.ts';
import { volumeData } from '../kubelet/volume-data.ts';
import type { Wire } from '../kubelet/wire.ts';
import type { NodeName, ObjectKey } from '../model/ids.ts';
import { seen, unseen } from '../model/observed.ts';
import { Drivers } from '../reach/csi/drivers.ts';
import { nodeClient } from '../reach/csi/node-client.ts';
import type { NodeSession } from '../reach/session/session.ts';
import type { NodePort, ReplayFacts } from '../repair/ports.ts';
import type { LiveSight } from './look.ts';
import { NodeLooks } from './node-looks.ts';
import { telling } from './patience.ts';

/** One node as repairs may touch it: through the debug pod's agent, the driver's socket and the API server. */
export function nodePort(
  sight: LiveSight,
  name: NodeName,
  session: NodeSession,
  signal: AbortSignal,
): NodePort {
  const { api, run } = sight;
  const first = sight.view.nodes.find(({ node }) => node.name === name);
  const looks = new NodeLooks(api, name, session, first, sight.seenAt, signal);
  /** What is done on the node makes the looks before it worthless. */
  const doing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await telling(work, signal);
    } finally {
      looks.changed();
    }
  };
  const drivers = new Drivers(signal);
  return {
    name,
    run,
    agent: (args) =>
      isJournal(args) ? telling(session.run(args, signal), signal) : doing(session.run(args, signal)),
    converse: async (args, waits) => {
      const { say, ...conversation } = await doing(session.converse(args, waits, signal));
      return { ...conversation, say: (word) => doing(say(word)) };
    },
    driver: (kubeletPid, endpoint) =>
      drivers.get(endpoint, async () => nodeClient(await session.tunnel(kubeletPid, endpoint, signal))),
    forgetDriver: (endpoint) => drivers.end(endpoint),
    replay: async (use, facts) =>
      replayOf(await readReplayInput(api, use, replayContext(name, facts), signal)),
    deletePod: (key, uid) => doing(api.remove(podPath(key), { preconditions: { uid } }, {}, { signal })),
    pod: (key) => api.get<Wire<V1Pod>>(podPath(key), {}, { signal }).catch(undefinedIfGone),
    createPod: async (pod) => {
      const { namespace = '' } = pod.metadata ?? {};
      await doing(api.create(`/api/v1/namespaces/${namespace}/pods`, pod, {}, { signal }));
    },
    look: looks.api,
    observe: (maxAgeMs = 0) => looks.all(maxAgeMs),
    observeVolumes: looks.volumes,
  };
}

function undefinedIfGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** The journal is our own: writing it changes nothing that is looked at. */
const isJournal = ([command = '']: readonly string[]) => command.startsWith('journal-');

const podPath = ({ namespace, name }: ObjectKey) => `/api/v1/namespaces/${namespace}/pods/${name}`;

function replayContext(node: NodeName, { kubeletRoot, capabilities, volData }: ReplayFacts) {
  const data = volumeData(volData);
  return {
    node,
    kubeletRoot,
    capabilities,
    volData: data ? seen(data) : unseen('vol_data.json is missing or cannot be read'),
  };
}
