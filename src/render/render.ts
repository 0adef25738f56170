import { oneOf } from '../cli/usage-error.ts';
import { formats } from './formats/index.gen.ts';
import type { Report } from './report.ts';
import type { Style } from './style.ts';

export const formatIds = formats.map(({ id }) => id);

/** @throws UsageError that lists the formats */
export const checkFormat = (format: string) => oneOf('output format', format, formatIds);

/** @throws UsageError that lists the formats */
export function renderReport(report: Report, format: string, style: Style): string {
  const id = checkFormat(format);
  return formats.find((each) => each.id === id)?.render(report, style) ?? '';
}
