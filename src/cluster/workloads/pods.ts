import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { NodeName } from '../../model/ids.ts';
import { mapSeen, type Observed } from '../../model/observed.ts';
import { type PodFacts, podFacts } from '../../workload/pods.ts';
import type { Api } from '../api.ts';
import { attempt } from '../attempt.ts';

/** The pods on these nodes. Of one node only its own are asked for. */
export async function readPodsOn(
  api: Api,
  nodes: readonly NodeName[],
  signal: AbortSignal,
): Promise<Observed<readonly PodFacts[]>> {
  const query = nodes.length === 1 ? { fieldSelector: `spec.nodeName=${nodes[0]}` } : {};
  const pods = await attempt(api.list<Wire<V1Pod>>('/api/v1/pods', query, { signal }), signal);
  const wanted = new Set<string>(nodes);
  return mapSeen(pods, (all) =>
    all.filter(({ spec }) => spec?.nodeName && wanted.has(spec.nodeName)).map(podFacts),
  );
}
