import { defineCommand } from '../cli/define-command.ts';
import {
  healFlags,
  outputFlag,
  reachFlags,
  scopeFlags,
  targetFlags,
  targetPositional,
} from '../stages/flags.ts';

export default defineCommand({
  id: 'heal',
  summary: 'Repair what is wrong, the gentlest way first, and verify it',
  description:
    'Visits the nodes, plans, and repairs what can be repaired within --max-risk. For each finding the gentlest repair that can work is tried first; the next one only after the first was verified not to have helped. Without --node and --all it plans for the whole cluster and asks once.',
  positionals: [targetPositional],
  options: { ...scopeFlags, ...targetFlags, ...healFlags, ...reachFlags, ...outputFlag },
  examples: [
    ['kubectl csi heal --node worker-3', 'repair one node'],
    ['kubectl csi heal --dry-run', 'print what would be done in the whole cluster'],
    [
      'kubectl csi heal --node worker-3 --max-risk disruptive',
      'restart the registrar or kubelet too, if nothing gentler works',
    ],
  ],
  async run(context, flags) {
    const { heal } = await import('../stages/heal.ts');
    const { repairs } = await import('../repair/repairs/index.gen.ts');
    return heal(context, flags, { repairs, concerns: () => true });
  },
});
