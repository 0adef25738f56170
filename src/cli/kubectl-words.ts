import type { Options } from 'yargs';
import type { Command } from './define-command.ts';
import { globalFlags } from './global-flags.ts';

/**
 * The command line in words that yargs takes as kubectl would (its library pflag): a bare `--dry-run` means `client`
 * and takes no word after it, and a value may follow its letter at once, as in `-ojson`.
 */
export function kubectlWords(argv: readonly string[], commands: readonly Command[]): readonly string[] {
  const letters = new Set([globalFlags, ...commands.map(({ options }) => options)].flatMap(valueLetters));
  return argv.map((word, index) => {
    if (word === '--dry-run' && !/^(client|none)$/.test(argv[index + 1] ?? '')) return '--dry-run=client';
    const [, letter = '', value] = /^-([a-zA-Z])([^=].*)$/s.exec(word) ?? [];
    return letters.has(letter) ? `-${letter}=${value}` : word;
  });
}

/** Letters of flags that take a value. */
const valueLetters = (options: Readonly<Record<string, Options>>) =>
  Object.values(options).flatMap(({ type, alias }) =>
    type !== 'boolean' && typeof alias === 'string' ? [alias] : [],
  );
