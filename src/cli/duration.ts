import { UsageError } from './usage-error.ts';

/** Milliseconds; timers count in 32 bits (Node.js, setTimeout). */
const longest = 2 ** 31 - 1;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * kubectl's durations: `30s`, `2m`, `1m30s`, a bare number is seconds, `0` means without limit.
 * @returns milliseconds
 */
export function parseDuration(flag: string, text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : sumOf(flag, text);
  if (ms > longest)
    throw new UsageError(`--${flag} ${text} is too long`, 'At most 596h; 0 means without limit.');
  return ms;
}

function sumOf(flag: string, text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new UsageError(`--${flag} does not understand "${text}"`, `Write it as 30s, 2m or 1m30s.`);
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (units[unit ?? ''] ?? 0), 0);
}
