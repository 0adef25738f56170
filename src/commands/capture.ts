import { defineCommand } from '../cli/define-command.ts';
import { exitCode } from '../cli/exit-code.ts';
import { reachFlags, scopeFlags } from '../stages/flags.ts';

export default defineCommand({
  id: 'capture',
  summary: 'Write all that was seen into one file, for others to look at',
  description:
    'Snapshot and evidence as one JSON document, without secrets. Every command that only reads takes it with --from and then needs no cluster. With --redact the names of nodes, drivers, pods and volumes are replaced.',
  positionals: [{ name: 'file', describe: 'File to write', required: true }],
  options: {
    ...scopeFlags,
    ...reachFlags,
    deep: { type: 'boolean', default: true, describe: 'Visit the nodes; --no-deep asks the API server only' },
    redact: { type: 'boolean', default: false, describe: 'Replace names' },
    overwrite: { type: 'boolean', default: false, describe: 'Replace the file when it exists' },
  },
  examples: [
    ['kubectl csi capture incident.json', 'everything, for a colleague or a bug report'],
    ['kubectl csi capture incident.json --redact --node worker-3', 'one node, without names'],
  ],
  async run(context, flags) {
    const { sightOf } = await import('../stages/sight.ts');
    const { writeCapture } = await import('../files/capture.ts');
    const { redact } = await import('../files/redact.ts');
    const { view, evidence } = await sightOf(context, flags, flags.deep, { access: 'read' });
    const capture = {
      apiVersion: 'kubectl-csi/v1',
      kind: 'Capture',
      client: context.version,
      snapshot: view.snapshot,
      evidence: [...evidence],
    } as const;
    const file = String(flags.file);
    await writeCapture(file, flags.redact ? redact(capture) : capture, flags.overwrite);
    context.warn(`wrote ${file}: ${view.nodes.length} nodes, ${evidence.size} of them visited`);
    return exitCode.well;
  },
});
