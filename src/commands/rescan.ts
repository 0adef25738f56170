import { defineCommand } from '../cli/define-command.ts';
import { UsageError } from '../cli/usage-error.ts';
import { healFlags, outputFlag, reachFlags, scopeFlags } from '../stages/flags.ts';

const { all, 'dry-run': dryRun, 'max-failures': maxFailures, yes } = healFlags;
const { node, selector } = scopeFlags;

/** The repairs that make kubelet look again and end no process. */
const announcing = ['announce', 'announce-hidden'];

export default defineCommand({
  id: 'rescan',
  summary: 'Announce drivers to kubelet again that it never registered',
  description:
    'Touches only drivers that are missing; the others keep their registration without a gap. Ends no process: what this cannot cure, kubectl csi heal can.',
  positionals: [{ name: 'driver', describe: 'Only this CSI driver' }],
  options: {
    node,
    selector,
    all,
    'dry-run': dryRun,
    'max-failures': maxFailures,
    yes,
    ...reachFlags,
    ...outputFlag,
  },
  examples: [
    ['kubectl csi rescan --node worker-3', 'announce every missing driver on one node'],
    ['kubectl csi rescan ebs.csi.aws.com --all', 'announce one driver wherever it is missing'],
  ],
  async run(context, flags) {
    const { heal } = await import('../stages/heal.ts');
    const { repairs } = await import('../repair/repairs/index.gen.ts');
    if (!flags.all && !flags.node?.length && !flags.selector)
      throw new UsageError('rescan wants to know where', 'Name a node with --node, or say --all.');
    const choice = {
      repairs: repairs.filter(({ id }) => announcing.includes(id)),
      concerns: ({ rule }: { readonly rule: string }) => rule === 'registration-lost',
    };
    return heal(context, { ...flags, 'max-risk': 'safe' }, choice);
  },
});
