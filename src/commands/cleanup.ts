import { defineCommand } from '../cli/define-command.ts';
import { exitCode } from '../cli/exit-code.ts';
import { outputFlag } from '../stages/flags.ts';

export default defineCommand({
  id: 'cleanup',
  summary: 'Remove debug pods, ConfigMaps and leases of interrupted runs',
  description:
    'Takes only what kubectl csi made and what its run has surely left: past its own expiry, or made by a client on this machine that has ended. With --force it takes the objects of every run, a colleague’s that is going on included.',
  options: {
    ...outputFlag,
    force: {
      type: 'boolean',
      default: false,
      describe: 'Also take objects of runs that may still be going on',
    },
  },
  examples: [
    ['kubectl csi cleanup', 'what interrupted runs left'],
    ['kubectl csi cleanup --force', 'everything of kubectl csi, when nobody else uses it now'],
  ],
  async run(context, flags) {
    const { sweep } = await import('../reach/sweep.ts');
    const { api } = await context.connect();
    const swept = await sweep(api, context.signal, flags.force ? Number.POSITIVE_INFINITY : undefined);
    await context.print({ kind: 'Cleanup', ...swept });
    return swept.failed.length > 0 ? exitCode.left : exitCode.well;
  },
});
