import { defineCommand } from '../cli/define-command.ts';
import { oneOf, UsageError } from '../cli/usage-error.ts';
import {
  healFlags,
  outputFlag,
  reachFlags,
  scopeFlags,
  targetFlags,
  targetPositional,
} from '../stages/flags.ts';

const { all, 'dry-run': dryRun, 'max-failures': maxFailures, yes } = healFlags;

/** Which repairs each strategy may use, and what they may risk at most. */
const strategies = {
  auto: { repairs: ['remount', 'restart-container'], maxRisk: 'disruptive' },
  swap: { repairs: ['remount'], maxRisk: 'safe' },
  restart: { repairs: ['restart-container'], maxRisk: 'disruptive' },
} as const;

export default defineCommand({
  id: 'remount',
  summary: 'Bring dead volumes back inside running containers',
  description:
    "Publishes the volume again through the driver's own CSI socket, verifies it on the node, and swaps the mount inside the running containers, with no restart. With --strategy auto the main process of a container whose mount cannot be swapped is ended, so that kubelet starts it again on the living volume.",
  positionals: [targetPositional],
  options: {
    ...scopeFlags,
    ...targetFlags,
    all,
    strategy: {
      type: 'string',
      default: 'swap',
      describe: 'swap: no process ends; restart: end the containers on it; auto: swap, then restart',
    },
    'dry-run': dryRun,
    'max-failures': maxFailures,
    yes,
    ...reachFlags,
    ...outputFlag,
  },
  examples: [
    ['kubectl csi remount pod/web-0 -n shop', 'the volumes of one pod'],
    [
      'kubectl csi remount --driver s3.csi.example.com --node worker-3',
      'every dead volume of a driver on a node',
    ],
    ['kubectl csi remount pvc/data --dry-run', 'print what would be done'],
  ],
  async run(context, flags) {
    const { heal } = await import('../stages/heal.ts');
    const { repairs } = await import('../repair/repairs/index.gen.ts');
    const names = Object.keys(strategies) as (keyof typeof strategies)[];
    const strategy = strategies[oneOf('strategy', flags.strategy, names)];
    const named = flags.target ?? flags.namespace ?? flags.node?.length ?? flags.selector ?? flags.driver;
    if (named === undefined && !flags.all)
      throw new UsageError(
        'remount wants to know what',
        'Name pod/X, pvc/Y or pv/Z, a --node or a --driver, or say --all.',
      );
    const choice = {
      repairs: repairs.filter(({ id }) => (strategy.repairs as readonly string[]).includes(id)),
      concerns: ({ rule }: { readonly rule: string }) => rule.startsWith('mount-'),
    };
    return heal(context, { ...flags, 'max-risk': strategy.maxRisk }, choice);
  },
});
