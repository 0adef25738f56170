import type { CommandContext } from '../cli/context.ts';
import type { Flags } from '../cli/global-flags.ts';
import { joinView } from '../diagnose/join.ts';
import { type LookOptions, look, narrowToTarget, readOnly, type Sight } from './look.ts';
import { scopeOf } from './scope.ts';

/** A sight from a file, from the API server alone, or from every node: whatever the flags say. */
export async function sightOf(
  context: CommandContext,
  flags: Flags,
  deep: boolean,
  options: LookOptions,
): Promise<Sight> {
  const file = flags.from as string | undefined;
  if (file !== undefined) return fromCapture(file, flags);
  return deep ? look(context, flags, options) : readOnly(context, flags);
}

async function fromCapture(file: string, flags: Flags): Promise<Sight> {
  const { readCapture } = await import('../files/capture.ts');
  const { narrow } = await import('./narrow.ts');
  const scope = scopeOf(flags);
  const { snapshot, evidence } = await readCapture(file);
  const { snapshot: narrowed, uses } = narrowToTarget(narrow(snapshot, scope), scope, 'default');
  const byNode = new Map(evidence);
  return {
    uses,
    view: joinView(narrowed, byNode),
    evidence: byNode,
    looked: byNode.size > 0 ? ['agent'] : [],
    scope,
  };
}
