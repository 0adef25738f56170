import type { Report } from './report.ts';
import type { Style } from './style.ts';

/** A value of `-o`. The file's name is the id. */
export interface Format {
  readonly id: string;
  readonly describe: string;
  render(report: Report, style: Style): string;
}

export const defineFormat = (format: Format): Format => format;
