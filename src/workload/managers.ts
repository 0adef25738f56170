import type { WorkloadMeta, WorkloadObject } from './kinds.ts';
import { controllerOf } from './owners.ts';

/** Who else writes an object, and what that means for a change of ours; in words for a person. */
export function managersOf(object: WorkloadObject): readonly string[] {
  const { metadata } = object;
  const owner = controllerOf(object);
  return [
    ...tools.flatMap(({ owns, says }) => (owns(metadata) ? [says(metadata)] : [])),
    ...(owner
      ? [
          `${owner.kind} ${owner.name} owns it and may take the change out again: change it there, if it lets you`,
        ]
      : []),
  ];
}

interface Tool {
  owns(meta: WorkloadMeta): boolean;
  says(meta: WorkloadMeta): string;
}

const label = (meta: WorkloadMeta, key: string) => meta.labels?.[key];
const annotation = (meta: WorkloadMeta, key: string) => meta.annotations?.[key];
const writtenBy = ({ managedFields = [] }: WorkloadMeta, pattern: RegExp) =>
  managedFields.some(({ manager = '' }) => pattern.test(manager));

const inSource = 'put it into the source too: kubectl csi inject-probe -f FILE prints it';

/** The marks that these tools leave, by their documentation. */
const tools: readonly Tool[] = [
  {
    // https://helm.sh/docs/chart_best_practices/labels ; the release annotations are set by Helm since 3.2.
    owns: (meta) =>
      annotation(meta, 'meta.helm.sh/release-name') !== undefined ||
      label(meta, 'app.kubernetes.io/managed-by') === 'Helm',
    says: (meta) =>
      `Helm manages it (release ${annotation(meta, 'meta.helm.sh/release-name') ?? 'unknown'}): helm upgrade keeps the change unless the chart sets the same field; ${inSource}`,
  },
  {
    // https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking
    owns: (meta) =>
      annotation(meta, 'argocd.argoproj.io/tracking-id') !== undefined ||
      label(meta, 'argocd.argoproj.io/instance') !== undefined ||
      writtenBy(meta, /^argocd-/),
    says: () => `Argo CD manages it and may take the change out at its next sync; ${inSource}`,
  },
  {
    // https://fluxcd.io/flux/components/kustomize/kustomizations , https://fluxcd.io/flux/components/helm
    owns: (meta) =>
      label(meta, 'kustomize.toolkit.fluxcd.io/name') !== undefined ||
      label(meta, 'helm.toolkit.fluxcd.io/name') !== undefined ||
      writtenBy(meta, /^(kustomize|helm)-controller$/),
    says: () => `Flux manages it and may take the change out at its next reconciliation; ${inSource}`,
  },
];
