import type { Command } from '../cli/define-command.ts';
import { connectOptions } from '../cli/global-flags.ts';
import { optionsOf, readCommandLine, type Wanted } from './command-line.ts';
import { flagValues, positionalValues, type Question, type Values } from './values.ts';

/** Bits of cobra's ShellCompDirective, which kubectl passes to the shell. */
const directive = { error: 1, noSpace: 2, noFiles: 4, files: 0 } as const;

/** Milliseconds: a person waits at the prompt. */
const limitMs = 4_000;

interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

/**
 * The words that fit at the cursor, in the protocol of kubectl's plugin completion (cobra's `__complete`): a candidate
 * a line with a tab before its description, then `:` and a directive. A cluster that does not answer has no candidates.
 *
 * @param words all words behind `kubectl csi`; the last is the one at the cursor and may be empty
 */
export async function complete(
  words: readonly string[],
  commands: readonly Command[],
  { env, version }: World,
): Promise<string> {
  const { command, flags, wanted } = readCommandLine(words, commands);
  const question: Question = {
    word: wanted.word,
    prints: command?.prints,
    namespace: flags.namespace as string | undefined,
    signal: AbortSignal.timeout(limitMs),
    async connect() {
      const { connect } = await import('../cluster/connect.ts');
      return connect(connectOptions(flags, env, version));
    },
  };
  try {
    return answerText(await candidates(wanted, command, commands, question), wanted);
  } catch {
    return `:${directive.error | directive.noFiles}\n`;
  }
}

async function candidates(
  wanted: Wanted,
  command: Command | undefined,
  commands: readonly Command[],
  question: Question,
): Promise<Values> {
  const none: Values = { kind: 'words', words: [] };
  switch (wanted.kind) {
    case 'command':
      return { kind: 'words', words: commands.map(({ id, summary }) => `${id}\t${summary}`) };
    case 'flag':
      return { kind: 'words', words: flagWords(command) };
    case 'value':
      return (await flagValues[wanted.flag]?.(question)) ?? none;
    case 'positional':
      return (await positionalValues[wanted.name ?? '']?.(question)) ?? none;
  }
}

const flagWords = (command: Command | undefined) => [
  ...Object.entries(optionsOf(command)).map(([name, { describe }]) => `--${name}\t${describe ?? ''}`),
  '--help\tShow help',
];

function answerText(values: Values, wanted: Wanted): string {
  if (values.kind === 'files') return `:${directive.files}\n`;
  const prefix = wanted.kind === 'value' ? wanted.prefix : '';
  const fitting = values.words.filter((word) => word.startsWith(wanted.word)).sort();
  const end = directive.noFiles | (values.goesOn ? directive.noSpace : 0);
  return [...fitting.map((word) => `${prefix}${word}`), `:${end}`, ''].join('\n');
}
