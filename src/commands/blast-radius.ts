import { defineCommand } from '../cli/define-command.ts';
import { outputFlag, reachFlags, scopeFlags, targetFlags } from '../stages/flags.ts';

const { node, selector } = scopeFlags;

export default defineCommand({
  id: 'blast-radius',
  summary: 'Show which volumes die when a node plugin or kubelet restarts',
  description:
    "Finds the process that serves each FUSE volume and where it lives: in the node plugin's container, in a mount pod, in a sidecar, or on the node under systemd; then who depends on it. Volumes without a daemon survive. A daemon in kubelet's own unit counts as dying with kubelet: a KillMode that would spare it cannot be seen. Exit code 0: everything in scope was seen; 3: something is <unknown>, which is never to be taken for safe.",
  prints: 'BlastRadius',
  positionals: [{ name: 'driver', describe: 'Only this CSI driver' }],
  options: {
    node,
    selector,
    ...targetFlags,
    ...reachFlags,
    output: { ...outputFlag.output, describe: 'table, wide, json, yaml, name, dot, mermaid or html' },
  },
  examples: [
    ['kubectl csi blast-radius --node worker-3', 'what a restart on one node would cost'],
    ['kubectl csi blast-radius s3.csi.example.com -o html > radius.html', 'a page for the change request'],
  ],
  async run(context, flags) {
    const { blastRadius, codeOfRadius, radiusOf } = await import('../stages/radius.ts');
    const report = blastRadius(await radiusOf(context, flags));
    await context.print(report);
    return codeOfRadius(report);
  },
});
