import { kubeletPlugins, kubeletVolumes } from '../kubelet/metrics.ts';
import type { NodeName } from '../model/ids.ts';
import { mapSeen, unseen } from '../model/observed.ts';
import type { NodeSnapshot } from '../model/snapshot.ts';
import type { Api } from './api.ts';
import { attempt } from './attempt.ts';

/** What kubelet says of itself, through the API server's node proxy. Needs `get nodes/proxy`. */
export type KubeletWord = Pick<NodeSnapshot, 'kubeletPlugins' | 'kubeletVolumes' | 'kubeletConfig'>;

/** A kubelet that is stopped holds the proxy open; others answer in a few milliseconds. */
const timeoutMs = 3_000;

export async function readKubelet(api: Api, node: NodeName, signal: AbortSignal): Promise<KubeletWord> {
  const path = `/api/v1/nodes/${node}/proxy`;
  const options = { signal, timeoutMs };
  const [metrics, config] = await Promise.all([
    attempt(api.text(`${path}/metrics`, {}, options), signal),
    attempt(api.get<ConfigZ>(`${path}/configz`, {}, options), signal),
  ]);
  return {
    kubeletPlugins: mapSeen(metrics, kubeletPlugins),
    kubeletVolumes: mapSeen(metrics, kubeletVolumes),
    kubeletConfig: mapSeen(config, publicConfig),
  };
}

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
