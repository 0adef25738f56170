import { listPods } from '../../cluster/workloads/objects.ts';
import { errorText } from '../../model/error-text.ts';
import { recordOf } from '../../workload/change/record.ts';
import { podsWithConfigMap } from '../../workload/probe/binary.ts';
import { removeConfigMap } from './carrier.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import type { Planned } from './plan.ts';

/** What is left of a change, in words. */
export interface Spare {
  /** It should be gone. */
  readonly failure?: string;
  /** It has to stay for now. */
  readonly kept?: string;
}

/** Removes the ConfigMap that the workload does not refer to any more, once no pod does either. */
export async function removeSpare(
  facts: Facts,
  { object, record, plan }: Planned,
  { mode }: Intent,
): Promise<Spare> {
  const earlier = recordOf(object);
  const name = earlier !== 'unreadable' ? earlier?.configMap : undefined;
  if (name === undefined || (mode !== 'undo' && name === record?.configMap)) return {};
  const { namespace } = plan.workload;
  const later = `kubectl delete configmap ${name} -n ${namespace}`;
  try {
    const pods = podsWithConfigMap(await listPods(facts.api, facts.signal, namespace), name);
    if (pods.length > 0) return { kept: keptText(name, pods, later) };
  } catch (error) {
    facts.signal.throwIfAborted();
    return {
      failure: `the ConfigMap ${name} is left, since pods that mount it could not be looked for: ${errorText(error)}; once there are none: ${later}`,
    };
  }
  const failure = await removeConfigMap(facts, namespace, name);
  return failure ? { failure } : {};
}

const named = 3;

function keptText(name: string, pods: readonly string[], later: string): string {
  const more = pods.length > named ? ` and ${pods.length - named} more` : '';
  return `the ConfigMap ${name} stays while pods mount it (${pods.slice(0, named).join(', ')}${more}); after that: ${later}`;
}
