const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** C0, DEL and C1 (ECMA-48): what a terminal obeys instead of showing it. */
const controls = /\p{Cc}/gu;

const escaped = (control: string) =>
  named[control] ?? `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;

/**
 * The same report with every control character in its texts escaped. Names of sockets and processes may hold any byte,
 * and whoever makes a socket on a node must not write to the terminal of the person who looks.
 */
export function withoutControls<T>(value: T): T;
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(controls, escaped);
  if (Array.isArray(value)) return value.map((each) => withoutControls(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [withoutControls(key), withoutControls(each)]),
  );
}
