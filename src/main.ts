import { failureOf } from './cli/failure.ts';
import { parseArguments } from './cli/parse.ts';
import { runCommand } from './cli/run.ts';
import { commands } from './commands/index.gen.ts';
import { version } from './version.ts';

const exit = (code: number) => process.exit(code);

/** @returns the exit code */
async function main(argv: readonly string[]): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  try {
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

void main(process.argv.slice(2)).then(exit);
