import { isForbidden } from '../../cluster/errors.ts';
import { type Ran, runInContainer } from '../../cluster/workloads/run.ts';
import { errorText } from '../../model/error-text.ts';
import type { ObjectKey } from '../../model/ids.ts';
import type { WorkloadObject } from '../../workload/kinds.ts';
import { askCommand, type ContainerWord, containerWord } from '../../workload/probe/asking.ts';
import type { Facts, Pod } from './facts.ts';

/** What a running container of the workload says of itself. */
export type Asked =
  | { readonly kind: 'word'; readonly pod: ObjectKey; readonly word: ContainerWord }
  | { readonly kind: 'no-shell'; readonly pod: ObjectKey }
  | { readonly kind: 'unasked'; readonly why: string };

const askLimitMs = 15_000;

export async function askContainer(facts: Facts, object: WorkloadObject, container: string): Promise<Asked> {
  const pod = (await facts.podsOf(object)).find((each) => isRunning(each, container));
  if (!pod) return { kind: 'unasked', why: 'no container of it runs now that could be asked what it has' };
  const key = { namespace: pod.metadata?.namespace ?? '', name: pod.metadata?.name ?? '' };
  try {
    return said(key, await runIn(facts, key, container, askCommand, askLimitMs));
  } catch (error) {
    facts.signal.throwIfAborted();
    const why = isForbidden(error)
      ? `no right to create pods/exec in namespace ${key.namespace}: it could not be asked what it has`
      : `it could not be asked what it has: ${errorText(error)}`;
    return { kind: 'unasked', why };
  }
}

export const runIn = (
  facts: Facts,
  { namespace, name }: ObjectKey,
  container: string,
  command: readonly string[],
  limitMs: number,
): Promise<Ran> =>
  runInContainer(facts.api, { namespace, pod: name, container }, command, limitMs, facts.signal);

/** The runtime's words for a program that the image does not have (runc, crun), and the shell's exit codes for it. */
const isMissing = ({ exitCode, output }: Ran) =>
  exitCode === 126 ||
  exitCode === 127 ||
  /executable file not found|no such file or directory|executable file `.*` not found/i.test(output);

function said(pod: ObjectKey, ran: Ran): Asked {
  const word = ran.exitCode === 0 ? containerWord(ran.output) : undefined;
  if (word) return { kind: 'word', pod, word };
  if (isMissing(ran)) return { kind: 'no-shell', pod };
  return { kind: 'unasked', why: `it could not be asked what it has: ${ran.output}` };
}

export const isRunning = ({ status, metadata }: Pod, container: string) =>
  metadata?.deletionTimestamp === undefined &&
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ name, state }) => name === container && state?.running !== undefined,
  );
