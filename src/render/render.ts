import { oneOf } from '../cli/usage-error.ts';
import { formats } from './formats/index.gen.ts';
import type { Report } from './report.ts';
import type { Style } from './style.ts';
import { viewOf } from './views.ts';

/** The values of `-o` for a kind of report; without one, those that every kind has. */
export const formatIds = (kind?: Report['kind']): readonly string[] => [
  ...formats.map(({ id }) => id),
  ...(kind ? (viewOf({ kind }).pictures ?? []).map(({ id }) => id) : []),
];

/** @throws UsageError that lists the formats */
export const checkFormat = (format: string, kind?: Report['kind']) =>
  oneOf('output format', format, formatIds(kind));

/** @throws UsageError that lists the formats */
export function renderReport(report: Report, format: string, style: Style): string {
  const id = checkFormat(format, report.kind);
  const common = formats.find((each) => each.id === id);
  if (common) return common.render(report, style);
  return (
    viewOf(report)
      .pictures?.find((picture) => picture.id === id)
      ?.render(report) ?? ''
  );
}
