import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '../cli/context.ts';
import { defineCommand } from '../cli/define-command.ts';
import { parseDuration } from '../cli/duration.ts';
import type { ExitCode } from '../cli/exit-code.ts';
import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import {
  fromFlag,
  outputFlag,
  reachFlags,
  scopeFlags,
  targetFlags,
  targetPositional,
} from '../stages/flags.ts';

export default defineCommand({
  id: 'status',
  summary: 'Show whether every CSI driver is registered on every node',
  description:
    "A row a node and driver: what kubelet itself holds, what CSINode lists, whether the node plugin's pod is ready; below it what is wrong and what cures it. Without --deep only the API server is asked. Exit code 0: all in scope was seen and is well; 1: something is wrong; 3: something could not be seen.",
  positionals: [targetPositional],
  options: {
    ...scopeFlags,
    ...targetFlags,
    ...reachFlags,
    ...fromFlag,
    ...outputFlag,
    deep: {
      type: 'boolean',
      default: false,
      describe: 'Look at the nodes themselves too, through debug pods',
    },
    watch: { type: 'boolean', alias: 'w', default: false, describe: 'Look again and again until Ctrl-C' },
    interval: { type: 'string', default: '5s', describe: 'Pause between two looks of --watch' },
  },
  examples: [
    ['kubectl csi status', 'every driver on every node, by what the API server knows'],
    ['kubectl csi status --node worker-3 --deep', 'one node, its sockets and mounts included'],
  ],
  async run(context, flags) {
    if (!flags.watch) return once(context, flags);
    if (flags.from)
      throw new UsageError(
        '--watch and --from exclude each other',
        'A file does not change: leave out --watch.',
      );
    const interval = parseDuration('interval', flags.interval);
    for (;;) {
      const code = await once(context, flags);
      await sleep(interval, undefined, { signal: context.signal }).catch(() => undefined);
      if (context.signal.aborted) return code;
      context.clear();
    }
  },
});

async function once(context: CommandContext, flags: Flags): Promise<ExitCode> {
  const { sightOf } = await import('../stages/sight.ts');
  const { codeOf, judge } = await import('../stages/judge.ts');
  const { statusRows } = await import('../stages/status-rows.ts');
  const sight = await sightOf(context, flags, flags.deep === true, { access: 'read' });
  const diagnosis = judge(sight);
  const deep = sight.looked.includes('agent');
  await context.print({
    kind: 'Status',
    takenAt: sight.view.snapshot.takenAt,
    deep,
    rows: statusRows(sight, diagnosis),
    diagnosis,
    footers: deep ? [] : ['Sockets, watches and mounts were not looked at: kubectl csi status --deep does.'],
  });
  return codeOf(diagnosis);
}
