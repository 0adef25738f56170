/** What was looked at: a value, or the reason why it could not be seen. Unseen is never healthy. */
export type Observed<T> = Seen<T> | Unseen;

export interface Seen<T> {
  readonly seen: true;
  readonly value: T;
}

export interface Unseen {
  readonly seen: false;
  /** Why, in words for a person: what was tried, and what the other side said. */
  readonly why: string;
}

export const seen = <T>(value: T): Seen<T> => ({ seen: true, value });
export const unseen = (why: string): Unseen => ({ seen: false, why });

export const mapSeen = <T, U>(observed: Observed<T>, change: (value: T) => U): Observed<U> =>
  observed.seen ? seen(change(observed.value)) : observed;

export const valueOr = <T, U>(observed: Observed<T>, otherwise: U): T | U =>
  observed.seen ? observed.value : otherwise;
