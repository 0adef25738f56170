import type { WorkloadObject } from '../kinds.ts';

/** With the value `false`, the workload is left alone. */
export const optOutAnnotation = 'kubectl-csi/inject-probe';

/** Why a workload wants to be left alone, and how that ends; undefined where it does not. */
export function optedOut({ kind, metadata }: WorkloadObject): string | undefined {
  if (metadata.annotations?.[optOutAnnotation] !== 'false') return undefined;
  const target = `${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`;
  return `opted out (${optOutAnnotation}=false); kubectl annotate ${target} ${optOutAnnotation}- ends that`;
}
