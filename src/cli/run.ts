import { createInterface } from 'node:readline/promises';
import { escapeControlsInLines } from '../model/controls.ts';
import type { CommandContext } from './context.ts';
import type { Command } from './define-command.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { connectOptions, type Flags, text } from './global-flags.ts';
import { startProgress } from './progress.ts';

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface Runtime {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  readonly exit: (code: ExitCode) => never;
}

/** Runs one command with its context, turns what it throws into words and a code, and obeys Ctrl-C. */
export async function runCommand(command: Command, flags: Flags, runtime: Runtime): Promise<ExitCode> {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) runtime.exit(exitCode.interrupted);
    runtime.streams.stderr.write('interrupted: cleaning up (again to leave at once)\n');
    interrupt.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    await checkOutput(command, flags);
    return await command.run(contextOf(flags, runtime, interrupt.signal), flags as never);
  } catch (error) {
    const failure = failureOf(error, interrupt.signal.aborted);
    runtime.streams.stderr.write(`error: ${escapeControlsInLines(failure.text)}\n`);
    return failure.code;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** A format that does not exist is refused before the cluster is asked for anything. */
async function checkOutput({ prints }: Command, flags: Flags): Promise<void> {
  const output = text(flags, 'output');
  if (output === undefined) return;
  const { checkFormat } = await import('../render/render.ts');
  checkFormat(output, prints);
}

function contextOf(flags: Flags, { version, env, streams }: Runtime, signal: AbortSignal): CommandContext {
  const { stdin, stdout, stderr } = streams;
  return {
    version,
    env,
    signal,
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    async connect() {
      const { connect } = await import('../cluster/connect.ts');
      return connect(connectOptions(flags, env, version));
    },
    async print(report) {
      const { renderReport } = await import('../render/render.ts');
      const style = { color: useColor(stdout, env), width: stdout.columns ?? 100 };
      stdout.write(renderReport(report, text(flags, 'output') ?? 'table', style));
    },
    write: (words) => void stdout.write(words),
    clear: () => {
      if (stdout.isTTY) stdout.write('\u001b[2J\u001b[H');
    },
    warn: (message) => stderr.write(`${escapeControlsInLines(message)}\n`),
    progress: (label) => startProgress(label, stderr.isTTY === true),
    confirm: (question) => ask(question, streams, signal),
  };
}

/** https://no-color.org */
const useColor = (stdout: NodeJS.WriteStream, env: NodeJS.ProcessEnv) =>
  stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';

async function ask(question: string, { stdin, stderr }: Streams, signal: AbortSignal): Promise<boolean> {
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
