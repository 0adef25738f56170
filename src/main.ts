import { failureOf } from './cli/failure.ts';
import { runCommand } from './cli/run.ts';
import { commands } from './commands/index.gen.ts';
import { version } from './version.ts';

const exit = (code: number) => process.exit(code);

/** @returns the exit code */
async function main(argv: readonly string[]): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  try {
    const quick = await withoutParser(argv);
    if (quick !== undefined) {
      stdout.write(quick);
      return 0;
    }
    const { parseArguments } = await import('./cli/parse.ts');
    const parsed = await parseArguments(argv, commands);
    if (parsed.kind === 'command')
      return await runCommand(parsed.command, parsed.flags, {
        version,
        env,
        streams: { stdin, stdout, stderr },
        exit,
      });
    stdout.write(parsed.text);
    return 0;
  } catch (error) {
    const failure = failureOf(error, false);
    stderr.write(`error: ${failure.text}\n`);
    return failure.code;
  }
}

/** What is answered before the parser is loaded, which takes longer than the answer. */
async function withoutParser([first, ...rest]: readonly string[]): Promise<string | undefined> {
  if (first === '--version') return `${version}\n`;
  if (first !== '__complete') return undefined;
  const { complete } = await import('./completion/complete.ts');
  return complete(rest, commands, { env: process.env, version });
}

/** Pipes take what is written later on some systems: the end waits for it. */
const leave = (code: number) => process.stdout.write('', () => exit(code));

void main(process.argv.slice(2)).then(leave);
