import { type ExitCode, exitCode } from '../cli/exit-code.ts';
import { diagnose } from '../diagnose/diagnose.ts';
import { rules } from '../diagnose/rules/index.gen.ts';
import type { Diagnosis, Subject } from '../model/finding.ts';
import type { Sight } from './look.ts';
import { concernsUses } from './target.ts';

/** The diagnosis of what was looked at, within the scope. */
export function judge({ view, looked, scope, uses }: Sight): Diagnosis {
  const { findings, blindSpots } = diagnose(view, rules, looked);
  const inScope = ({ subject }: { readonly subject: Subject }) =>
    (scope.driver === undefined || subject.driver === undefined || subject.driver === scope.driver) &&
    (uses === undefined || concernsUses(subject, uses));
  return { findings: findings.filter(inScope), blindSpots: blindSpots.filter(inScope) };
}

/** Notices do not count: nothing is wrong. */
export function codeOf({ findings, blindSpots }: Diagnosis): ExitCode {
  if (findings.some(({ severity }) => severity !== 'notice')) return exitCode.findings;
  return blindSpots.length > 0 ? exitCode.unseen : exitCode.well;
}
