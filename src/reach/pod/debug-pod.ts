import type { V1Pod } from '@kubernetes/client-node';
import type { Api } from '../../cluster/api.ts';
import { isNotFound } from '../../cluster/errors.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { errorText } from '../../model/error-text.ts';
import { agentContainer } from './pod-spec.ts';

type Pod = Wire<V1Pod>;

/** The pod could not start for a reason that another image or namespace may not have. */
export class PodStartError extends Error {
  override readonly name = 'PodStartError';
}

/** Waiting reasons that no waiting will cure. */
const hopeless: ReadonlySet<string> = new Set([
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'StartError',
]);

const podPath = (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/pods/${name}`;

/**
 * Waits until the agent runs, or has run.
 * @throws PodStartError when it never will
 */
export async function waitForAgent(
  api: Api,
  pod: Pod,
  until: 'started' | 'ended',
  signal: AbortSignal,
): Promise<Pod> {
  const namespace = pod.metadata?.namespace ?? '';
  const name = pod.metadata?.name ?? '';
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const query = { fieldSelector: `metadata.name=${name}`, resourceVersion: pod.metadata?.resourceVersion };
  try {
    for await (const event of api.watch<Pod>(`/api/v1/namespaces/${namespace}/pods`, query, either)) {
      if (event.type === 'DELETED')
        throw new PodStartError(`pod ${namespace}/${name} was deleted by somebody else`);
      if (reached(event.object, until)) return event.object;
    }
  } finally {
    stop.abort();
  }
  throw signal.reason ?? new Error('the watch ended');
}

function reached(pod: Pod, until: 'started' | 'ended'): boolean {
  const state = pod.status?.containerStatuses?.find((status) => status.name === agentContainer)?.state;
  const waiting = state?.waiting;
  if (waiting?.reason && hopeless.has(waiting.reason))
    throw new PodStartError(`${waiting.reason}: ${waiting.message ?? 'no message'}`);
  if (state?.terminated && state.terminated.startedAt === undefined && state.terminated.exitCode !== 0)
    throw new PodStartError(`${state.terminated.reason}: ${state.terminated.message ?? ''}`);
  if (state?.terminated?.reason === 'StartError')
    throw new PodStartError(state.terminated.message ?? 'StartError');
  if (pod.status?.phase === 'Failed' && !state)
    throw new PodStartError(pod.status.message ?? pod.status.reason ?? 'Failed');
  return state?.terminated !== undefined || (until === 'started' && state?.running !== undefined);
}

/** Whether somebody deleted a pod of ours, or its agent has ended. */
export async function hasEnded(api: Api, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { metadata, status } = await api.get<Pod>(path, {}, { signal });
    return metadata?.deletionTimestamp !== undefined || status?.phase !== 'Running';
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** Deletes an object of ours and does not mind when it is gone; what fails is returned in words. */
export async function removeQuietly(api: Api, path: string, timeoutMs = 10_000): Promise<string | undefined> {
  try {
    await api.remove(path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' }, {}, { timeoutMs });
    return undefined;
  } catch (error) {
    return isNotFound(error) ? undefined : `${path}: ${errorText(error)}`;
  }
}

export const pathOfPod = podPath;
export const pathOfConfigMap = (namespace: string, name: string) =>
  `/api/v1/namespaces/${namespace}/configmaps/${name}`;
