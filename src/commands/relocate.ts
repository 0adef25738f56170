import { defineCommand } from '../cli/define-command.ts';
import { UsageError } from '../cli/usage-error.ts';
import { healFlags, outputFlag, reachFlags, scopeFlags } from '../stages/flags.ts';

const { 'dry-run': dryRun, 'max-failures': maxFailures, force, yes } = healFlags;
const { node, selector } = scopeFlags;

export default defineCommand({
  id: 'relocate',
  summary: 'Give plugins_registry a file system that does not lose events',
  description:
    'Mounts a tmpfs over plugins_registry, restarts kubelet to watch it, and ends only the processes of the registrars, so that their containers make their sockets there. FUSE daemons and apps go on. One node at a time; with --undo it is taken back. On nodes where systemd runs kubelet a mount unit makes it last over reboots.',
  options: {
    node,
    selector,
    undo: { type: 'boolean', default: false, describe: 'Take it back' },
    'dry-run': dryRun,
    'max-failures': maxFailures,
    force,
    yes,
    ...reachFlags,
    ...outputFlag,
  },
  examples: [
    ['kubectl csi relocate --node worker-3', 'one node'],
    [
      'kubectl csi relocate -l katacontainers.io/kata-runtime=true --dry-run',
      'what would be done on labelled nodes',
    ],
    ['kubectl csi relocate --node worker-3 --undo', 'take it back'],
  ],
  async run(context, flags) {
    if (!flags.node?.length && !flags.selector)
      throw new UsageError(
        'relocate wants to know where',
        'Name a node with --node, or choose nodes with --selector.',
      );
    const { request } = await import('../stages/heal.ts');
    const { default: repair } = flags.undo
      ? await import('../repair/repairs/restore-registry.ts')
      : await import('../repair/repairs/relocate-registry.ts');
    return request(context, flags, repair);
  },
});
