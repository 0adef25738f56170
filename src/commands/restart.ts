import { defineCommand } from '../cli/define-command.ts';
import { UsageError } from '../cli/usage-error.ts';
import { healFlags, outputFlag, reachFlags, scopeFlags } from '../stages/flags.ts';

const { all, 'dry-run': dryRun } = healFlags;
const { node, selector } = scopeFlags;

export default defineCommand({
  id: 'restart',
  summary: 'Restart or upgrade node plugins while the apps on their volumes go on',
  description:
    'Restarts the node plugin of a driver node by node, each verified before the next. With handover a second driver, made from the DaemonSet’s template as it is now, carries the volumes meanwhile: every container is moved to its mounts and back with no gap and no restart. Where a driver cannot run twice, the plan says why, and its volumes are brought back right after the restart. What a run was interrupted in, the same command completes. A driver with a write-back cache must flush it by itself: two of its daemons serve a volume for a moment.',
  positionals: [{ name: 'driver', describe: 'The CSI driver, as CSINode names it' }],
  options: {
    node,
    selector,
    all: { ...all, describe: 'All nodes that the driver is on' },
    'max-unavailable': { type: 'number', default: 1, describe: 'Nodes that are restarted at the same time' },
    handover: {
      type: 'boolean',
      default: true,
      describe: 'Carry the volumes with a second driver; --no-handover restarts, then brings them back',
    },
    'drain-timeout': {
      type: 'string',
      default: '30s',
      describe: 'Longest wait for apps to close what they hold open on a mount that ends',
    },
    force: {
      type: 'boolean',
      default: false,
      describe: 'Also when something stays open, or a volume could not be brought back',
    },
    'dry-run': dryRun,
    ...reachFlags,
    ...outputFlag,
  },
  examples: [
    ['kubectl csi restart s3.csi.example.com --node worker-3', 'one node, no app notices'],
    [
      'kubectl csi restart s3.csi.example.com --all --dry-run',
      'what would be done on each node, and with each volume',
    ],
  ],
  async run(context, flags) {
    if (!flags.driver)
      throw new UsageError(
        'restart wants to know which driver',
        'Name it: kubectl csi restart DRIVER --node NODE; kubectl get csidrivers lists them.',
      );
    if (!flags.node?.length && !flags.selector && !flags.all)
      throw new UsageError(
        'restart wants to know where',
        'Name a node with --node, choose nodes with --selector, or say --all.',
      );
    const { restart } = await import('../stages/restart.ts');
    return restart(context, flags);
  },
});
