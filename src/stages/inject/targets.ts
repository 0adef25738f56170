import type { Flags } from '../../cli/global-flags.ts';
import { UsageError } from '../../cli/usage-error.ts';
import type { Api } from '../../cluster/api.ts';
import { isApiError, isNotFound } from '../../cluster/errors.ts';
import { listWorkloads, readWorkload } from '../../cluster/workloads/objects.ts';
import { type WorkloadRef, workloadText } from '../../model/workload.ts';
import { kindOf, kindOfWord, refOf, type WorkloadObject } from '../../workload/kinds.ts';
import { controllerOf, ownerChain } from '../../workload/owners.ts';
import type { Facts } from './facts.ts';

/** A workload that is meant, with what is to be said about how it was found. */
export interface Target {
  readonly object: WorkloadObject;
  readonly notes: readonly string[];
  /** Its pods are made anew by something that we cannot change. */
  readonly owner?: WorkloadRef;
}

const example = 'Write it as deploy/NAME, sts/NAME, ds/NAME, cronjob/NAME, job/NAME, rs/NAME or pod/NAME.';

/** What was named; or that all of a namespace is meant. @throws UsageError */
export function namedTargets(flags: Flags): readonly string[] | 'all' {
  const words = ((flags.workload as readonly string[] | undefined) ?? []).map(String);
  const all = flags.all === true || flags['all-namespaces'] === true;
  if (all && words.length > 0)
    throw new UsageError(`--all and ${words[0]} exclude each other`, 'Give one of them.');
  if (words.length > 0) return words;
  if (all || flags.driver !== undefined) return 'all';
  throw new UsageError('inject-probe wants to know what', `${example} Or say --all or --driver.`);
}

/** @param namespace undefined for all */
export async function findTargets(
  facts: Facts,
  wanted: readonly string[] | 'all',
  namespace: string | undefined,
  own: string,
): Promise<readonly Target[]> {
  if (wanted === 'all') {
    const objects = await listWorkloads(facts.api, facts.signal, namespace);
    return objects.filter((object) => !isEnded(object)).map((object) => ({ object, notes: [] }));
  }
  const refs = wanted.map((word) => refOfWord(word, namespace ?? own));
  const found = await Promise.all(refs.map((ref) => findTarget(facts, ref)));
  return [...new Map(found.map((target) => [JSON.stringify(refOf(target.object)), target])).values()];
}

/** A pod or job that is over makes no pod any more. */
const isEnded = ({ kind, status }: WorkloadObject) =>
  (kind === 'Pod' && /^(Succeeded|Failed)$/.test(String(status?.phase))) ||
  (kind === 'Job' && status?.completionTime !== undefined);

function refOfWord(word: string, namespace: string): WorkloadRef {
  const [type = '', name, ...rest] = word.split('/');
  const kind = kindOfWord(type);
  if (!kind || !name || rest.length > 0) throw new UsageError(`"${word}" names no workload`, example);
  return { apiVersion: kind.apiVersion, kind: kind.kind, namespace, name };
}

/** The object itself, or what owns it so far as we know its kind. */
async function findTarget(facts: Facts, ref: WorkloadRef): Promise<Target> {
  const object = await readNamed(facts.api, ref, facts.signal);
  const controller = controllerOf(object);
  if (!controller) return { object, notes: [] };
  const chain = ownerChain(controller, await facts.owners(ref.namespace));
  const top = chain.findLast((each) => kindOf(each) !== undefined);
  const stranger = chain.find((each) => kindOf(each) === undefined);
  if (!top) return { object, notes: [], ...(makesAnew(object) && { owner: controller }) };
  const owner = await readWorkload(facts.api, top, facts.signal);
  const note = `${workloadText(ref)} belongs to ${workloadText(top)}: that is what is changed`;
  return { object: owner, notes: [note], ...(stranger && makesAnew(owner) && { owner: stranger }) };
}

/** Of these kinds an owner makes new ones; others it lets stand. */
const makesAnew = ({ kind }: WorkloadObject) => ['Pod', 'ReplicaSet', 'Job'].includes(kind);

async function readNamed(api: Api, ref: WorkloadRef, signal: AbortSignal): Promise<WorkloadObject> {
  try {
    return await readWorkload(api, ref, signal);
  } catch (error) {
    if (!isApiError(error) || !isNotFound(error)) throw error;
    const plural = kindOf(ref)?.resource ?? ref.kind;
    throw new UsageError(
      `there is no ${workloadText(ref)} in namespace ${ref.namespace}`,
      `kubectl get ${plural} -n ${ref.namespace} lists them; -n names another namespace.`,
    );
  }
}
