import { spawn } from 'node:child_process';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ExecOptions {
  readonly input?: string | undefined;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds until the command is ended by SIGKILL; 60,000 when left out. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a command to its end and returns what it said, whatever its exit code. A command that a signal ended
 * has the code 128 + 9, as in a shell.
 *
 * @throws when the command cannot be started, or its time is up
 */
export function exec(command: readonly string[], options: ExecOptions = {}): Promise<Result> {
  const [file, ...args] = command;
  if (file === undefined) throw new Error('no command to run');
  const { timeoutMs = 60_000, input = '', cwd, env, signal } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, signal, stdio: 'pipe' });
    const output = { stdout: '', stderr: '' };
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.stdin.on('error', () => {}).end(input);
    child.on('error', reject).on('close', (code) => {
      clearTimeout(timer);
      if (late)
        reject(new Error(`'${command.join(' ')}' did not end in ${timeoutMs / 1000} s\n${output.stderr}`));
      else resolve({ code: code ?? 137, ...output });
    });
  });
}

/** As `exec`, but a code other than 0 throws with the command and what it wrote to stderr. */
export async function execOrThrow(command: readonly string[], options: ExecOptions = {}): Promise<string> {
  const result = await exec(command, options);
  if (result.code === 0) return result.stdout;
  const said = `${result.stderr}${result.stdout}`.trim().slice(-2000);
  throw new Error(`'${command.join(' ')}' ended with ${result.code}: ${said}`);
}
