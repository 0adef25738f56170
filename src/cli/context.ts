import type { Connection } from '../cluster/connect.ts';
import type { Report } from '../render/report.ts';
import type { Progress } from './progress.ts';

/** The world of one command: everything that a command may do besides computing. */
export interface CommandContext {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts at Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  connect(): Promise<Connection>;
  /** Prints a finished report on stdout, in the format that the user chose. */
  print(report: Report): Promise<void>;
  /** Text on stdout that is no report: a manifest, a script. */
  write(text: string): void;
  /** Clears the screen of a person before the next report of a watch. */
  clear(): void;
  /** One line on stderr. */
  warn(message: string): void;
  progress(text: string): Promise<Progress>;
  /** Asks yes or no on the terminal. */
  confirm(question: string): Promise<boolean>;
}
