import { defineCommand } from '../cli/define-command.ts';
import { exitCode } from '../cli/exit-code.ts';
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
  id: 'doctor',
  summary: 'Explain every finding: what was seen, why it is so, what cures it',
  description:
    'Visits the nodes in scope and prints each finding with its evidence, its reason and the repairs for it, gentlest first. For pod/NAME it answers why the pod is stuck: it walks from the claim over volume, attachment, node plugin, registration and mount to the container and puts the first broken link first, with what clears it. With --compare it shows instead where two nodes differ: kubelet command lines, configurations, file systems and watches; the odd node out is how people find such faults.',
  positionals: [targetPositional],
  options: {
    ...scopeFlags,
    ...targetFlags,
    ...reachFlags,
    ...fromFlag,
    ...outputFlag,
    compare: { type: 'string', describe: 'Another node to compare with --node' },
    probe: {
      type: 'boolean',
      default: false,
      describe:
        'Also test whether plugins_registry delivers inotify events; writes a dot-file there for a moment',
    },
  },
  examples: [
    ['kubectl csi doctor pod/web-0 -n shop', 'why a pod does not start or does not end'],
    ['kubectl csi doctor --node worker-3', 'everything that is wrong on one node, and why'],
    ['kubectl csi doctor --node worker-3 --compare worker-1', 'how a sick node differs from a healthy one'],
    ['kubectl csi doctor --node worker-3 --probe', 'prove that a file system drops events'],
  ],
  async run(context, flags) {
    const { sightOf } = await import('../stages/sight.ts');
    const { codeOf, judge } = await import('../stages/judge.ts');
    const { compare, node = [] } = flags;
    if (compare !== undefined && node.length !== 1)
      throw new UsageError(
        '--compare needs the other node',
        `kubectl csi doctor --node NODE --compare ${compare}`,
      );
    const { targetOf } = await import('../stages/target.ts');
    const target = targetOf(flags);
    const options = { access: flags.probe ? 'repair' : 'read', probe: flags.probe } as const;
    if (target?.kind === 'pod' && compare === undefined && flags.from === undefined) {
      const { diagnosePod } = await import('../stages/pod.ts');
      return diagnosePod(context, flags, target, options);
    }
    const scope = compare === undefined ? flags : { ...flags, node: [...node, compare] };
    const sight = await sightOf(context, scope, true, options);
    if (compare !== undefined) {
      const { compareNodes } = await import('../stages/compare.ts');
      const report = compareNodes(sight.view, node[0] ?? '', compare);
      await context.print(report);
      if (report.unseen.length > 0) return exitCode.unseen;
      return report.differences.length > 0 ? exitCode.findings : exitCode.well;
    }
    const { casesOf } = await import('../stages/cases.ts');
    const diagnosis = judge(sight);
    await context.print({
      kind: 'Doctor',
      takenAt: sight.view.snapshot.takenAt,
      cases: casesOf(diagnosis),
      diagnosis,
    });
    return codeOf(diagnosis);
  },
});
