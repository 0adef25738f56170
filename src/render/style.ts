import { styleText } from 'node:util';
import type { Severity } from '../model/finding.ts';

export interface Style {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

type Ink = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

export const paint = ({ color }: Style, ink: Ink, text: string) =>
  color ? styleText(ink, text, { validateStream: false }) : text;

const severityInk: Readonly<Record<Severity, Ink>> = { error: 'red', warning: 'yellow', notice: 'cyan' };

export const severityText = (style: Style, severity: Severity) =>
  paint(style, severityInk[severity], severity.toUpperCase());

/** What could not be seen is never left blank: a blank reads as well. */
export const unknown = '<unknown>';
