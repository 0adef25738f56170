import type { Api, ExecTarget } from '../api.ts';

export interface Ran {
  /** null where the command never ran, or the time ran out. */
  readonly exitCode: number | null;
  /** Standard output and standard error, and what the runtime says of a command that did not run. */
  readonly output: string;
}

/**
 * Runs a command in a container and waits for its end.
 * @param limitMs milliseconds, after which it is left to itself
 * @throws ApiError when the server refuses
 */
export async function runInContainer(
  api: Api,
  target: ExecTarget,
  command: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<Ran> {
  const late = AbortSignal.timeout(limitMs);
  const stream = await api.exec(target, command, { signal: AbortSignal.any([signal, late]) });
  const chunks: string[] = [];
  for (const each of [stream.stdout, stream.stderr])
    each.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const { exitCode, message } = await stream.status;
  stream.close();
  signal.throwIfAborted();
  const output = chunks.join('').trim();
  if (late.aborted) return { exitCode: null, output: `no answer within ${limitMs / 1000} s` };
  return { exitCode, output: output || message };
}
