import { kubeletPlugins, kubeletVolumes } from '../../kubelet/metrics.ts';
import type { NodeName } from '../../model/ids.ts';
import { mapSeen, unseen } from '../../model/observed.ts';
import type { NodeSnapshot } from '../../model/snapshot.ts';
import type { Api, CallOptions } from '../api.ts';
import { attempt } from '../attempt.ts';
import { ConnectionError } from '../errors.ts';

/** What kubelet says of itself, through the API server's node proxy. Needs `get nodes/proxy`. */
export type KubeletWord = Pick<NodeSnapshot, 'kubeletPlugins' | 'kubeletVolumes' | 'kubeletConfig'>;

/** A kubelet that is stopped holds the proxy open; others answer in a few milliseconds. */
const defaultTimeoutMs = 3_000;

export async function readKubelet(
  api: Api,
  node: NodeName,
  { signal, timeoutMs = defaultTimeoutMs }: CallOptions & { readonly signal: AbortSignal },
): Promise<KubeletWord> {
  const path = `/api/v1/nodes/${node}/proxy`;
  const options = { signal, timeoutMs };
  const ask = <T>(answer: Promise<T>) => attempt(answer.catch(nameKubelet(timeoutMs)), signal);
  const [metrics, config] = await Promise.all([
    ask(api.text(`${path}/metrics`, {}, options)),
    ask(api.get<ConfigZ>(`${path}/configz`, {}, options)),
  ]);
  return {
    kubeletPlugins: mapSeen(metrics, kubeletPlugins),
    kubeletVolumes: mapSeen(metrics, kubeletVolumes),
    kubeletConfig: mapSeen(config, publicConfig),
  };
}

/** A time-out here is kubelet's, not the API server's. */
const nameKubelet = (timeoutMs: number) => (error: unknown) => {
  const late = error instanceof ConnectionError && error.failure === 'timeout';
  throw late ? new Error(`kubelet gave no answer in ${timeoutMs / 1000} s`, { cause: error }) : error;
};

/** Kubelet was not asked. */
export function unseenKubelet(why: string): KubeletWord {
  const nothing = unseen(why);
  return { kubeletPlugins: nothing, kubeletVolumes: nothing, kubeletConfig: nothing };
}

interface ConfigZ {
  readonly kubeletconfig?: Readonly<Record<string, unknown>>;
}

/** `staticPodURLHeader` may hold a token. */
function publicConfig({ kubeletconfig = {} }: ConfigZ): Readonly<Record<string, unknown>> {
  const { staticPodURLHeader: _header, ...rest } = kubeletconfig;
  return rest;
}
