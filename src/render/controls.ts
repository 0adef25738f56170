import { escapeControls } from '../model/controls.ts';

/**
 * The same report with every control character in its texts escaped. Names of sockets and processes may hold any byte,
 * and whoever makes a socket on a node must not write to the terminal of the person who looks.
 */
export function withoutControls<T>(value: T): T;
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (Array.isArray(value)) return value.map((each) => withoutControls(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [withoutControls(key), withoutControls(each)]),
  );
}
