import type {
  V1DaemonSet,
  V1NodeSelectorRequirement,
  V1NodeSelectorTerm,
  V1Toleration,
} from '@kubernetes/client-node';
import { pluginSpec } from '../../kubelet/plugin-spec.ts';
import type { Wire } from '../../kubelet/wire.ts';
import type {
  NodeSelectorTerm,
  PluginDaemonSet,
  SelectorRequirement,
  Toleration,
} from '../../model/snapshot.ts';
import type { Api, CallOptions } from '../api.ts';

/** DaemonSets whose pods register a CSI driver. */
export async function readPluginDaemonSets(
  api: Api,
  options: CallOptions,
): Promise<readonly PluginDaemonSet[]> {
  const items = await api.list<Wire<V1DaemonSet>>('/apis/apps/v1/daemonsets', {}, options);
  return items.flatMap((item) => pluginDaemonSet(item) ?? []);
}

function pluginDaemonSet({ metadata, spec }: Wire<V1DaemonSet>): PluginDaemonSet | undefined {
  const pod = spec?.template.spec;
  const plugin = spec && pluginSpec(spec.template);
  if (!pod || !plugin) return undefined;
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    ...plugin,
    key: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    nodeSelector: pod.nodeSelector ?? {},
    affinity: (required?.nodeSelectorTerms ?? []).map(selectorTerm),
    tolerations: (pod.tolerations ?? []).map(toleration),
  };
}

const selectorTerm = ({ matchExpressions, matchFields }: V1NodeSelectorTerm): NodeSelectorTerm => ({
  labels: (matchExpressions ?? []).map(requirement),
  fields: (matchFields ?? []).map(requirement),
});

const requirement = ({ key, operator, values = [] }: V1NodeSelectorRequirement): SelectorRequirement => ({
  key,
  operator,
  values,
});

const toleration = ({ key = '', operator = 'Equal', value = '', effect = '' }: V1Toleration): Toleration => ({
  key,
  operator,
  value,
  effect,
});
