import { type Observed, seen } from '../../model/observed.ts';
import { type OwnerIndex, ownerIndex } from '../../workload/owners.ts';
import type { Api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { listPath } from './list-path.ts';

type Meta = Parameters<typeof ownerIndex>[1][number];

/** Who owns the ReplicaSets and Jobs of a namespace, or of all; see `ownerChain`. */
export async function readOwnerIndex(
  api: Api,
  signal: AbortSignal,
  namespace?: string,
): Promise<Observed<OwnerIndex>> {
  const list = (group: string, resource: string) =>
    attempt(api.list<Meta>(listPath(group, resource, namespace), {}, { signal }), signal);
  const [sets, jobs] = await Promise.all([
    list('/apis/apps/v1', 'replicasets'),
    list('/apis/batch/v1', 'jobs'),
  ]);
  if (!sets.seen) return sets;
  if (!jobs.seen) return jobs;
  return seen(new Map([...ownerIndex('ReplicaSet', sets.value), ...ownerIndex('Job', jobs.value)]));
}
