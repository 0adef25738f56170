import { parseDuration } from '../../cli/duration.ts';
import type { Flags } from '../../cli/global-flags.ts';
import { oneOf, UsageError } from '../../cli/usage-error.ts';
import type { ProbeWish } from '../../workload/probe/plan.ts';

/** What the user wants of `inject-probe`. */
export interface Intent extends ProbeWish {
  readonly mode: 'probe' | 'propagation' | 'undo';
  readonly dryRun: 'none' | 'client' | 'server';
  readonly force: boolean;
  /** A static program carries the probe where the image has no shell. */
  readonly binary: boolean;
  /** The most modest command is taken where no container can be asked. */
  readonly portable: boolean;
  /** A shell line instead of a command of ours. */
  readonly command: string | undefined;
  readonly driver: string | undefined;
  readonly containers: readonly string[] | undefined;
  readonly replace: boolean;
  readonly wait: boolean;
  /** Milliseconds for a rollout. */
  readonly timeoutMs: number;
}

export function intentOf(flags: Flags): Intent {
  const undo = flags.undo === true;
  const propagation = flags.propagation === true;
  if (undo && propagation)
    throw new UsageError('--undo takes back all that was injected', 'Leave out --propagation.');
  const mode = undo ? 'undo' : propagation ? 'propagation' : 'probe';
  return {
    mode,
    dryRun: dryRunOf(flags['dry-run'] as string | undefined),
    timings: {
      initialDelaySeconds: whole(flags, 'initial-delay', 0),
      periodSeconds: whole(flags, 'period', 1),
      // A second of it is kubelet's, so that the command in the container ends first.
      timeoutSeconds: whole(flags, 'probe-timeout', 2),
      failureThreshold: whole(flags, 'failure-threshold', 1),
    },
    combine: flags.combine === true,
    force: flags.force === true,
    binary: flags['probe-binary'] === true,
    portable: flags.portable === true,
    command: flags['probe-command'] as string | undefined,
    driver: flags.driver as string | undefined,
    containers: flags.container as readonly string[] | undefined,
    replace: flags.replace === true,
    wait: flags.wait !== false,
    timeoutMs: parseDuration('timeout', flags.timeout as string),
  };
}

function whole(flags: Flags, name: string, least: number): number {
  const value = flags[name] as number;
  if (Number.isInteger(value) && value >= least) return value;
  throw new UsageError(
    `--${name} wants a whole number of at least ${least}`,
    'It counts in seconds or times.',
  );
}

/** As in kubectl: bare means client. */
function dryRunOf(value: string | undefined): Intent['dryRun'] {
  if (value === undefined) return 'none';
  return oneOf('--dry-run', value === '' ? 'client' : value, ['none', 'client', 'server']);
}
