import type { Report } from './report.ts';
import type { Style } from './style.ts';

export type ReportOf<K extends Report['kind']> = Extract<Report, { kind: K }>;

/** How one kind of report reads for a person, and the names that `-o name` prints. */
export interface View<K extends Report['kind']> {
  readonly kind: K;
  table(report: ReportOf<K>, style: Style, wide: boolean): string;
  names(report: ReportOf<K>): readonly string[];
  /** Values of `-o` that only this kind of report has. */
  readonly pictures?: readonly Picture<K>[];
}

/** A format of one kind of report; it escapes what its language would obey. */
export interface Picture<K extends Report['kind']> {
  readonly id: string;
  readonly describe: string;
  render(report: ReportOf<K>): string;
}

/** A view of whichever kind. */
export type AnyView = { [K in Report['kind']]: View<K> }[Report['kind']];

export const defineView = <K extends Report['kind']>(view: View<K>): View<K> => view;
