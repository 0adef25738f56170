import { type CsiResult, csi } from '../../registration/support/csi.ts';
import type { HealDocument } from '../../registration/support/documents.ts';
import type { Shared } from './shared.ts';

/** Milliseconds for a repair on a loaded machine. */
export const repairLimit = 240_000;

export interface Healed extends CsiResult {
  readonly doc: HealDocument;
  /** `REPAIR: RESULT: DETAIL` of every attempt. */
  readonly attempts: readonly string[];
  /** Why findings were not taken up. */
  readonly refusals: readonly string[];
}

/** Runs a command that repairs, with `-o json`. */
export async function repair({ cluster }: Shared, ...args: readonly string[]): Promise<Healed> {
  const result = await csi(cluster, [...args, '-o', 'json'], { timeoutMs: repairLimit });
  return healed(result);
}

/** @throws when no document was printed */
export function healed(result: CsiResult): Healed {
  try {
    const doc = JSON.parse(result.stdout) as HealDocument;
    const steps = doc.outcome?.steps ?? [];
    const attempts = steps.flatMap((step) =>
      step.attempts.map(({ repair, result, detail }) => `${repair}: ${result}: ${detail}`),
    );
    const refusals = (doc.refusals ?? doc.plan?.refusals ?? []).map(({ why }) => why);
    return { ...result, doc, attempts, refusals };
  } catch {
    throw new Error(`exit code ${result.code}, and no document: ${result.stdout}${result.stderr}`);
  }
}
