import type { InferredOptionTypes, Options } from 'yargs';
import type { Report } from '../render/report.ts';
import type { CommandContext } from './context.ts';
import type { ExitCode } from './exit-code.ts';

export interface Positional {
  readonly name: string;
  readonly describe: string;
  readonly required?: boolean;
  readonly array?: boolean;
}

export interface Command<O extends Readonly<Record<string, Options>> = Readonly<Record<string, Options>>> {
  /** The verb, equal to the file's name. */
  readonly id: string;
  readonly summary: string;
  /** Paragraphs for `--help` and the documentation. */
  readonly description: string;
  /** The kind of report that it prints, where that kind has formats of its own. */
  readonly prints?: Report['kind'];
  readonly positionals?: readonly Positional[];
  readonly options: O;
  /** Command line and what it does. At least two. */
  readonly examples: readonly (readonly [string, string])[];
  run(
    context: CommandContext,
    flags: InferredOptionTypes<O> & Readonly<Record<string, unknown>>,
  ): Promise<ExitCode>;
}

export const defineCommand = <const O extends Readonly<Record<string, Options>>>(
  command: Command<O>,
): Command<O> => command;
