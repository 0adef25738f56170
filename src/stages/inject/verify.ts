import type { V1Probe } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import { errorText } from '../../model/error-text.ts';
import type { Edit } from '../../model/injection.ts';
import { isSame, valueAt } from '../../workload/change/edit.ts';
import { isRunning, runIn } from './ask.ts';
import type { Facts, Pod } from './facts.ts';
import type { Planned } from './plan.ts';

const limitMs = 20_000;

/**
 * Runs each new probe once where it now is. @returns what failed, in words; nothing where no pod has it yet (a
 * CronJob), or where we may not exec: kubelet's own probes say it then
 */
export async function verifyProbes(facts: Facts, { object, plan }: Planned): Promise<string | undefined> {
  const probes = plan.edits.filter(({ path }) => path.at(-1) === 'livenessProbe');
  if (probes.length === 0) return undefined;
  const pods = await facts.podsOf(object);
  const failures = await Promise.all(probes.map((edit) => verifyProbe(facts, pods, edit)));
  return failures.find((failure) => failure !== undefined);
}

async function verifyProbe(facts: Facts, pods: readonly Pod[], edit: Edit): Promise<string | undefined> {
  const container = (edit.path[1] ?? '').replace(/^name=/, '');
  const pod = pods.find(
    (each) => isSame(valueAt(each.spec, edit.path), edit.after) && isRunning(each, container),
  );
  const command = (edit.after as Wire<V1Probe>).exec?.command;
  if (!pod || !command) return undefined;
  const key = { namespace: pod.metadata?.namespace ?? '', name: pod.metadata?.name ?? '' };
  try {
    const { exitCode, output } = await runIn(facts, key, container, command, limitMs);
    return exitCode === 0
      ? undefined
      : `the probe fails in pod/${key.name}, container ${container}: ${output}`;
  } catch (error) {
    facts.signal.throwIfAborted();
    return isDenied(error)
      ? undefined
      : `the probe could not be tried in pod/${key.name}: ${errorText(error)}`;
  }
}

const isDenied = (error: unknown) => (error as { status?: number }).status === 403;
