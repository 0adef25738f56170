import type { Options } from 'yargs';
import type { Command } from '../cli/define-command.ts';
import { type Flags, globalFlags } from '../cli/global-flags.ts';

type NamedOptions = Readonly<Record<string, Options>>;

/** What stands before the cursor, and what the word at the cursor is to become. */
export interface CommandLine {
  readonly command: Command | undefined;
  readonly flags: Flags;
  readonly wanted: Wanted;
}

export type Wanted =
  | { readonly kind: 'command' | 'flag'; readonly word: string }
  /** `prefix` is the part of the word that is no value: `--node=`. */
  | { readonly kind: 'value'; readonly flag: string; readonly word: string; readonly prefix: string }
  | { readonly kind: 'positional'; readonly name: string | undefined; readonly word: string };

/** @param words all words behind `kubectl csi`; the last is the one at the cursor and may be empty */
export function readCommandLine(words: readonly string[], commands: readonly Command[]): CommandLine {
  const before = words.slice(0, -1);
  const word = words.at(-1) ?? '';
  const read = readWords(before, commands);
  return { command: read.command, flags: read.flags, wanted: wantedAt(word, read) };
}

/** All options of a command; before the command is known, those of all. */
export const optionsOf = (command: Command | undefined): NamedOptions => ({
  ...command?.options,
  ...globalFlags,
});

interface Read {
  readonly command: Command | undefined;
  readonly flags: Flags;
  readonly positionals: number;
  /** A flag at the end that still wants its value. */
  readonly open: string | undefined;
}

function readWords(words: readonly string[], commands: readonly Command[]): Read {
  let command: Command | undefined;
  let positionals = 0;
  let open: string | undefined;
  const flags: Record<string, unknown> = {};
  for (const word of words) {
    const flag = flagIn(word, command);
    if (open !== undefined) {
      flags[open] = word;
      open = undefined;
    } else if (flag?.value !== undefined) flags[flag.name] = flag.value;
    else if (flag?.wantsValue) open = flag.name;
    else if (word.startsWith('-')) continue;
    else if (command) positionals += 1;
    else command = commands.find(({ id }) => id === word);
  }
  return { command, flags, positionals, open };
}

function flagIn(word: string, command: Command | undefined) {
  const [, dashed = '', value] = /^(--?[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const found = Object.entries(optionsOf(command)).find(
    ([name, { alias }]) => dashed === `--${name}` || dashed === `-${alias}`,
  );
  if (!found) return undefined;
  const [name, { type }] = found;
  return { name, value, wantsValue: type !== 'boolean' && name !== 'dry-run' };
}

function wantedAt(word: string, { command, positionals, open }: Read): Wanted {
  if (open !== undefined) return { kind: 'value', flag: open, word, prefix: '' };
  const flag = flagIn(word, command);
  if (flag?.value !== undefined)
    return {
      kind: 'value',
      flag: flag.name,
      word: flag.value,
      prefix: word.slice(0, word.length - flag.value.length),
    };
  if (word.startsWith('-')) return { kind: 'flag', word };
  if (!command) return { kind: 'command', word };
  const { positionals: known = [] } = command;
  return { kind: 'positional', name: known[positionals]?.name, word };
}
