import { defineCommand } from '../cli/define-command.ts';
import { outputFlag, reachFlags, scopeFlags } from '../stages/flags.ts';

const { node } = scopeFlags;

export default defineCommand({
  id: 'upgrade-check',
  summary: 'Say before a rollout of a node plugin which volumes it would kill',
  description:
    'Looks at every node on which the DaemonSet has a pod, finds the FUSE daemons that live in those pods and who depends on them, and judges from its template whether a second driver could take over meanwhile. HostToContainer and liveness probes only soften a death. Exit code 0: nothing would die; 1: something would; 3: something is <unknown>.',
  positionals: [{ name: 'daemonset', describe: 'ds/NAME, the DaemonSet of a node plugin', required: true }],
  options: {
    namespace: { type: 'string', alias: 'n', describe: 'Namespace of the DaemonSet' },
    node,
    ...reachFlags,
    ...outputFlag,
  },
  examples: [
    ['kubectl csi upgrade-check ds/csi-s3-node -n kube-system', 'before kubectl rollout or helm upgrade'],
    ['kubectl csi upgrade-check ds/csi-s3-node -n kube-system -o json', 'for a pipeline that gates rollouts'],
  ],
  async run(context, flags) {
    const { codeOfUpgrade, upgradeCheck } = await import('../stages/upgrade.ts');
    const report = await upgradeCheck(context, flags);
    await context.print(report);
    return codeOfUpgrade(report);
  },
});
