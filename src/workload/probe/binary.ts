import type { V1NodeSelectorTerm, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { Edit } from '../../model/injection.ts';
import type { WorkloadRef } from '../../model/workload.ts';
import { binaryFolder } from './command.ts';
import type { Candidate } from './plan.ts';

const volumeName = 'kubectl-csi-probe';
const archLabel = 'kubernetes.io/arch';

/**
 * Mounts the ConfigMap that carries the agent. No init container has to copy it: kubelet writes it with the mode 0555,
 * and the runtime makes the mount point, in a read-only root file system too.
 */
export const binaryEdits = (configMap: string, candidates: readonly Candidate[]): readonly Edit[] => [
  {
    path: ['volumes', `name=${volumeName}`],
    before: null,
    after: { name: volumeName, configMap: { name: configMap, defaultMode: 0o555 } },
  },
  ...candidates.map(({ group, container }) => ({
    path: [group, `name=${container.name}`, 'volumeMounts', `mountPath=${binaryFolder}`],
    before: null,
    after: { mountPath: binaryFolder, name: volumeName, readOnly: true },
  })),
];

/** @param digest of the agent, since an immutable ConfigMap never holds another one */
export const configMapName = ({ kind, name }: WorkloadRef, digest: string) =>
  `kubectl-csi-probe-${kind.toLowerCase()}-${name}`.slice(0, 240).replace(/[.-]+$/, '') +
  `-${digest.slice(0, 8)}`;

/** The ConfigMap; it goes with the workload. The labels of our debug pods are not on it: no sweep may take it. */
export const binaryConfigMap = (name: string, workload: WorkloadRef, agent: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: workload.namespace,
    labels: { 'kubectl-csi/for': 'probe' },
    ...(workload.uid && {
      ownerReferences: [
        {
          apiVersion: workload.apiVersion,
          kind: workload.kind,
          name: workload.name,
          uid: workload.uid,
        },
      ],
    }),
  },
  immutable: true,
  binaryData: { agent },
});

/** The one architecture that the pods can run on; undefined where it may be several. */
export function architectureOf(spec: Wire<V1PodSpec>, nodes: readonly string[]): string | undefined {
  const pinned = spec.nodeSelector?.[archLabel] ?? affinityArch(spec);
  if (pinned) return pinned;
  const all = [...new Set(nodes)];
  return all.length === 1 ? all[0] : undefined;
}

function affinityArch({ affinity }: Wire<V1PodSpec>): string | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const archs = (required?.nodeSelectorTerms ?? []).map(termArch);
  return archs.length > 0 && archs.every((arch) => arch === archs[0]) ? archs[0] : undefined;
}

const termArch = ({ matchExpressions = [] }: Wire<V1NodeSelectorTerm>) => {
  const found = matchExpressions.find(({ key, operator }) => key === archLabel && operator === 'In');
  return found?.values?.length === 1 ? found.values[0] : undefined;
};

/**
 * Names of the pods that a ConfigMap must be there for. One that ends or has ended starts no container any more, and
 * kubelet keeps what it has mounted.
 */
export const podsWithConfigMap = (pods: readonly Wire<V1Pod>[], configMap: string): readonly string[] =>
  pods
    .filter(({ metadata, spec, status }) => {
      const over =
        metadata?.deletionTimestamp !== undefined || /^(Succeeded|Failed)$/.test(status?.phase ?? '');
      return !over && (spec?.volumes ?? []).some((volume) => volume.configMap?.name === configMap);
    })
    .flatMap(({ metadata }) => metadata?.name ?? []);
