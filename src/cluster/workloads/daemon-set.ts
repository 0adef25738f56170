import type { V1ControllerRevision, V1DaemonSet, V1Pod } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { keyText, type ObjectKey } from '../../model/ids.ts';
import { type Observed, seen, unseen } from '../../model/observed.ts';
import { type PodFacts, podFacts, revisionLabel } from '../../workload/pods.ts';
import type { Api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { listPath } from './list-path.ts';

/** A DaemonSet, its pods, and which of them run its template as it is now. */
export interface RolloutState {
  readonly daemonSet: Wire<V1DaemonSet>;
  readonly pods: readonly PodFacts[];
  /** Hash of the newest revision, which pods of it have as a label. */
  readonly newest: Observed<string>;
}

/** @throws ApiError: there is no such DaemonSet, or it may not be read */
export async function readRollout(api: Api, key: ObjectKey, signal: AbortSignal): Promise<RolloutState> {
  const { namespace, name } = key;
  const within = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}`;
  const path = `${within}/daemonsets/${encodeURIComponent(name)}`;
  const daemonSet = await api.get<Wire<V1DaemonSet>>(path, {}, { signal });
  const uid = daemonSet.metadata?.uid;
  const [pods, revisions] = await Promise.all([
    api.list<Wire<V1Pod>>(listPath('/api/v1', 'pods', namespace), {}, { signal }),
    attempt(api.list<Wire<V1ControllerRevision>>(`${within}/controllerrevisions`, {}, { signal }), signal),
  ]);
  return {
    daemonSet,
    pods: pods
      .filter(({ status }) => status?.phase !== 'Failed')
      .map(podFacts)
      .filter(({ owner }) => owner?.uid === uid),
    newest: revisions.seen ? newestOf(revisions.value, uid, key) : revisions,
  };
}

function newestOf(
  revisions: readonly Wire<V1ControllerRevision>[],
  uid: string | undefined,
  key: ObjectKey,
): Observed<string> {
  const [newest] = revisions
    .filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.uid === uid))
    .sort((a, b) => b.revision - a.revision);
  const hash = newest?.metadata?.labels?.[revisionLabel];
  return hash ? seen(hash) : unseen(`DaemonSet ${keyText(key)} has no ControllerRevision`);
}
