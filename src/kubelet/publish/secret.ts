/** What every printed form of a secret reads. */
const mask = '[secret]';

/** A value that no log, journal, report or error may show: every way of printing it gives `[secret]`. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself; only for the request that is sent. */
  reveal(): T {
    return this.#value;
  }

  toJSON(): string {
    return mask;
  }

  toString(): string {
    return mask;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return mask;
  }
}

/** Strings by name, some of them secret; printable as they are. */
export type Parameters = Readonly<Record<string, string | Secret<string>>>;

/** Shorter values are too common in plain words to be told apart from them. */
const shortestMasked = 6;

/** A signed JSON Web Token (RFC 7519): its header and payload begin with `{"`. */
const webToken = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;

/**
 * The text with every secret of these parameters masked, and every service account token: a driver may quote in its
 * error what it was sent.
 */
export function withoutSecrets(text: string, parameters: readonly Parameters[]): string {
  const values = parameters
    .flatMap((each) => Object.values(each))
    .flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  return values
    .filter((value) => value.length >= shortestMasked)
    .sort((one, other) => other.length - one.length)
    .reduce((masked, value) => masked.replaceAll(value, mask), text)
    .replaceAll(webToken, mask);
}
