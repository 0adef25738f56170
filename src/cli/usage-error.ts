/** What the user typed cannot be done as typed. `next` says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** @throws UsageError that lists what there is */
export function oneOf<T extends string>(what: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new UsageError(`unknown ${what} "${value}"`, `Use one of: ${allowed.join(', ')}.`);
}
