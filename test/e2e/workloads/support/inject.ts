import type { Cluster } from '../../../cluster/index.ts';
import { type CsiOptions, type CsiResult, csi } from '../../registration/support/csi.ts';

export interface InjectionDocument {
  readonly workloads: readonly {
    readonly workload: { readonly kind: string; readonly name: string };
    readonly containers: readonly {
      readonly name: string;
      readonly does: string;
      readonly why?: string;
      readonly next?: string;
      readonly command?: readonly string[];
      readonly notes: readonly string[];
    }[];
    readonly refused?: { readonly why: string; readonly next: string };
    readonly warnings: readonly string[];
    readonly diff: readonly string[];
    readonly outcome?: { readonly result: string; readonly detail: string };
  }[];
}

export interface Injected extends CsiResult {
  readonly doc: InjectionDocument;
  /** `CONTAINER DOES` of all containers. */
  readonly does: readonly string[];
  /** `RESULT: DETAIL` of each workload. */
  readonly results: readonly string[];
}

/** Runs inject-probe with `-o json`. */
export async function inject(
  cluster: Cluster,
  args: readonly string[],
  options: CsiOptions = {},
): Promise<Injected> {
  const command = ['inject-probe', ...args, '-o', 'json'];
  const result = await csi(cluster, command, { timeoutMs: 180_000, ...options });
  try {
    const doc = JSON.parse(result.stdout) as InjectionDocument;
    return {
      ...result,
      doc,
      does: doc.workloads.flatMap(({ containers }) => containers.map(({ name, does }) => `${name} ${does}`)),
      results: doc.workloads.flatMap(({ outcome }) =>
        outcome ? `${outcome.result}: ${outcome.detail}` : [],
      ),
    };
  } catch {
    throw new Error(`exit code ${result.code}, and no document: ${result.stdout}${result.stderr}`);
  }
}
