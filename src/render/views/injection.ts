import type { ContainerPlan, WorkloadOutcome, WorkloadPlan } from '../../model/injection.ts';
import { defineView } from '../define-view.ts';
import type { InjectionReport } from '../report.ts';
import { paint, type Style } from '../style.ts';
import { wrap } from '../table.ts';

const verbs: Readonly<Record<ContainerPlan['does'], string>> = {
  inject: 'gets a livenessProbe on',
  combine: 'gets one livenessProbe for what it asks now and for',
  propagate: 'gets mountPropagation HostToContainer on',
  restore: 'gets back what it had',
  nothing: 'nothing to do',
  refuse: 'left alone',
};

function containerText(plan: ContainerPlan, style: Style): string {
  const { name, does, paths, drivers, why, next, notes } = plan;
  const done = does === 'inject' || does === 'combine' || does === 'propagate';
  const about = done ? ` ${paths.join(', ')} (${drivers.join(', ')})` : why ? `: ${why}` : '';
  const ink = does === 'refuse' ? 'yellow' : done ? 'green' : 'dim';
  return [
    wrap(`  ${paint(style, 'bold', name)}: ${paint(style, ink, verbs[does])}${about}`, style.width, '    '),
    ...(next ? [wrap(`    → ${next}`, style.width, '      ')] : []),
    ...notes.map((note) => wrap(`    note: ${note}`, style.width, '      ')),
  ].join('\n');
}

const signs = { '+': 'green', '-': 'red', '@': 'cyan' } as const;

const diffLine = (line: string, style: Style) => {
  const ink = signs[line.charAt(0) as keyof typeof signs];
  return `    ${ink ? paint(style, ink, line) : line}`.trimEnd();
};

const results: Readonly<Record<WorkloadOutcome['result'], readonly ['green' | 'yellow' | 'red', string]>> = {
  changed: ['green', 'changed'],
  replaced: ['green', 'replaced'],
  validated: ['green', 'checked by the server'],
  refused: ['yellow', 'not changed'],
  failed: ['red', 'failed, something is left'],
};

function outcomeText({ result, detail }: WorkloadOutcome, style: Style): string {
  const [ink, word] = results[result];
  return wrap(`  ${paint(style, ink, word)}: ${detail}`, style.width, '    ');
}

function workloadText(plan: WorkloadPlan, style: Style, wide: boolean): string {
  const { workload, containers, warnings, refused, diff, outcome } = plan;
  return [
    `${paint(style, 'bold', `${workload.kind}/${workload.name}`)} -n ${workload.namespace}`,
    ...containers.map((each) => containerText(each, style)),
    ...(refused
      ? [
          wrap(`  ${paint(style, 'yellow', 'left alone')}: ${refused.why}`, style.width, '    '),
          wrap(`    → ${refused.next}`, style.width, '      '),
        ]
      : []),
    ...warnings.map((text) => wrap(`  ${paint(style, 'yellow', 'warning')}: ${text}`, style.width, '    ')),
    ...(outcome && outcome.result !== 'validated' && !wide ? [] : diff.map((line) => diffLine(line, style))),
    ...(outcome ? [outcomeText(outcome, style)] : []),
  ].join('\n');
}

const emptyText = ({ mode }: InjectionReport) =>
  mode === 'undo'
    ? 'Nothing of inject-probe is in these workloads.'
    : 'No workload here mounts a CSI volume.';

export default defineView({
  kind: 'Injection',
  table(report, style, wide) {
    const { workloads, footers } = report;
    if (workloads.length === 0) return emptyText(report);
    return [
      ...workloads.map((plan) => workloadText(plan, style, wide)),
      footers.map((line) => paint(style, 'dim', wrap(line, style.width, ''))).join('\n'),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  },
  names: ({ workloads }) =>
    workloads.map(({ workload: { kind, apiVersion = '', name } }) => {
      const [group, version] = apiVersion.split('/');
      return `${kind.toLowerCase()}${version ? `.${group}` : ''}/${name}`;
    }),
});
