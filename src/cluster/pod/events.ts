import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { mapSeen, type Observed, seen } from '../../model/observed.ts';
import type { PodEvent, PodVolume } from '../../model/pod.ts';
import type { Api } from '../api.ts';
import { attempt } from '../attempt.ts';

/** The events of a pod, and of those of its claims that are not bound. */
export async function readPodEvents(
  api: Api,
  { metadata }: Wire<V1Pod>,
  volumes: readonly PodVolume[],
  signal: AbortSignal,
): Promise<Observed<readonly PodEvent[]>> {
  const claims = volumes.flatMap(({ claimKey, claim }) =>
    claimKey && claim?.seen && claim.value && claim.value.phase !== 'Bound'
      ? [{ name: claimKey.name, uid: claim.value.uid }]
      : [],
  );
  const lists = await Promise.all(
    [{ name: undefined, uid: metadata?.uid ?? '' }, ...claims].map(({ name, uid }) =>
      eventsOf(api, metadata?.namespace ?? '', uid, name, signal),
    ),
  );
  const unseen = lists.find((list) => !list.seen);
  if (unseen && !unseen.seen) return unseen;
  return seen(
    lists
      .flatMap((list) => (list.seen ? list.value : []))
      .sort((a, b) => Date.parse(a.lastAt) - Date.parse(b.lastAt)),
  );
}

async function eventsOf(
  api: Api,
  namespace: string,
  uid: string,
  claim: string | undefined,
  signal: AbortSignal,
): Promise<Observed<readonly PodEvent[]>> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const query = { fieldSelector: `involvedObject.uid=${uid}` };
  const events = await attempt(api.list<Wire<CoreV1Event>>(path, query, { signal }), signal);
  return mapSeen(events, (items) => items.map((event) => podEvent(event, claim)));
}

/** The scheduler writes events.k8s.io events, which have a series and an eventTime instead of count and timestamps. */
function podEvent(event: Wire<CoreV1Event>, claim: string | undefined): PodEvent {
  const { series, lastTimestamp, eventTime, metadata } = event;
  return {
    ...(claim !== undefined && { claim }),
    type: event.type ?? 'Normal',
    reason: event.reason ?? '',
    message: event.message ?? '',
    count: series?.count ?? event.count ?? 1,
    lastAt: series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? '',
  };
}
