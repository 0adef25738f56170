import type { Command } from './define-command.ts';
import { UsageError } from './usage-error.ts';

/** What yargs found wrong, in our words: what it is, and what to type next. */
export function parseFault(error: Error, argv: readonly string[], commands: readonly Command[]): UsageError {
  if (error instanceof UsageError) return error;
  const command = commands.find(({ id }) => argv.includes(id));
  const help = `kubectl csi${command ? ` ${command.id}` : ''} --help shows what there is.`;
  const unknown = /^Unknown arguments?: (.+)/.exec(error.message)?.[1]?.split(', ');
  if (unknown)
    return command ? strayFault(unknown, argv, command, help) : commandFault(unknown, argv, commands, help);
  const valueless = /^Not enough arguments following: (.+)$/.exec(error.message)?.[1];
  if (valueless !== undefined) return new UsageError(`${dashed(valueless)} wants a value`, help);
  if (command && /^Not enough non-option arguments/.test(error.message))
    return new UsageError(`${command.id} wants ${wanted(command)}`, help);
  return new UsageError(error.message, help);
}

const dashed = (name: string) => `${name.length === 1 ? '-' : '--'}${name}`;

const wanted = ({ positionals = [] }: Command) =>
  positionals
    .filter(({ required }) => required)
    .map(({ name, describe }) => `${name.toUpperCase()} (${describe})`)
    .join(' and ');

function strayFault(names: readonly string[], argv: readonly string[], { id }: Command, help: string) {
  const [name = ''] = names;
  const flag = flagOf(name, argv);
  return new UsageError(
    flag ? `unknown flag ${flag}` : `${id} does not know what to do with "${name}"`,
    help,
  );
}

/** Without a command no flag is known: the word that was to be a command is what is wrong. */
function commandFault(
  names: readonly string[],
  argv: readonly string[],
  commands: readonly Command[],
  help: string,
) {
  const word = names.find((name) => flagOf(name, argv) === undefined);
  if (word === undefined) return new UsageError('no command given', help);
  return new UsageError(
    `unknown command "${word}"`,
    `Commands are: ${commands.map(({ id }) => id).join(', ')}.`,
  );
}

const flagOf = (name: string, argv: readonly string[]) =>
  argv.find((word) => word.startsWith('-') && isFlag(word, name))?.replace(/=.*/s, '');

/** `--name`, `--name=value`, `--no-name`, and letters together behind one dash. */
const isFlag = (word: string, name: string) =>
  name.length === 1 && !word.startsWith('--')
    ? word.includes(name)
    : [`--${name}`, `--no-${name}`].includes(word.replace(/=.*/s, ''));
