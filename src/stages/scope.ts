import type { CommandContext } from '../cli/context.ts';
import { parseDuration } from '../cli/duration.ts';
import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import { type Target, targetOf } from './target.ts';

/** What a command looks at. */
export interface Scope {
  readonly nodes: readonly string[] | undefined;
  readonly selector: string | undefined;
  readonly driver: string | undefined;
  readonly target: Target | undefined;
}

export function scopeOf(flags: Flags): Scope {
  const nodes = flags.node as readonly string[] | undefined;
  const selector = flags.selector as string | undefined;
  if (nodes?.length && selector)
    throw new UsageError('--node and --selector exclude each other', 'Give one of them.');
  return {
    nodes: nodes?.length ? nodes : undefined,
    selector,
    driver: flags.driver as string | undefined,
    target: targetOf(flags),
  };
}

export interface ReachFlags {
  readonly image: string | undefined;
  readonly pullSecrets: readonly string[] | undefined;
  readonly namespace: string | undefined;
  readonly nodeTimeoutMs: number;
  readonly concurrency: number;
}

export function reachOf(flags: Flags): ReachFlags {
  const concurrency = flags.concurrency as number;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new UsageError('--concurrency wants a whole number of at least 1', 'Leave it out for 20.');
  return {
    image: flags.image as string | undefined,
    pullSecrets: flags['image-pull-secret'] as readonly string[] | undefined,
    namespace: flags['debug-namespace'] as string | undefined,
    nodeTimeoutMs: parseDuration('node-timeout', flags['node-timeout'] as string),
    concurrency,
  };
}

/** Warns of what a run could not delete; the next run's sweep finds it. */
export function warnOfLeftovers(context: CommandContext, failures: readonly string[]): void {
  for (const failure of failures)
    context.warn(`warning: not deleted: ${failure} (kubectl csi cleanup tries again)`);
}
