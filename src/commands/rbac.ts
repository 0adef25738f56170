import { defineCommand } from '../cli/define-command.ts';
import { exitCode } from '../cli/exit-code.ts';
import { oneOf } from '../cli/usage-error.ts';

export default defineCommand({
  id: 'rbac',
  summary: 'Print the ClusterRoles that the commands need',
  description:
    'As manifests for kubectl apply: read for status; look for everything that visits nodes and changes nothing; heal for repairs; workloads for changes of workloads. Each holds all that its commands ask for, the lesser ones included, and nothing more. Bind it with kubectl create clusterrolebinding.',
  options: {
    for: { type: 'string', describe: 'read, look, heal or workloads; without it all of them' },
  },
  examples: [
    ['kubectl csi rbac --for read', 'what kubectl csi status needs, to be read by a person'],
    ['kubectl csi rbac | kubectl apply -f -', 'all roles into the cluster'],
    [
      'kubectl create clusterrolebinding csi-ann --clusterrole=kubectl-csi-heal --user=ann',
      'let somebody heal',
    ],
  ],
  async run(context, flags) {
    const { dump } = await import('js-yaml');
    const { clusterRole, purposeNames } = await import('../cluster/roles.ts');
    const names = flags.for === undefined ? purposeNames : [oneOf('--for', flags.for, purposeNames)];
    context.write(names.map((name) => dump(clusterRole(name), { lineWidth: -1 })).join('---\n'));
    return exitCode.well;
  },
});
