import { type ExitCode, exitCode } from './exit-code.ts';
import { UsageError } from './usage-error.ts';

export interface Failure {
  readonly text: string;
  readonly code: ExitCode;
}

interface WithNext extends Error {
  readonly next: string;
}

const hasNext = (error: unknown): error is WithNext => error instanceof Error && 'next' in error;

/** A failure for a person: what failed, and what to type next. A fault of ours shows its stack. */
export function failureOf(error: unknown, interrupted: boolean): Failure {
  if (interrupted)
    return { text: 'interrupted; what was begun is finished or taken back', code: exitCode.interrupted };
  if (error instanceof UsageError) return { text: `${error.message}\n${error.next}`, code: exitCode.usage };
  if (hasNext(error))
    return {
      text: `${error.message}\n${error.next}`,
      code: error.name === 'KubeconfigError' ? exitCode.usage : exitCode.unseen,
    };
  if (error instanceof Error && !isOurFault(error)) return { text: error.message, code: exitCode.unseen };
  return {
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    code: exitCode.unseen,
  };
}

/** What the language throws at a programming mistake. */
const isOurFault = (error: Error) =>
  [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);
