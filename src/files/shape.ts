/** @returns where in a document something is not as it should be, or undefined */
export type Shape = (value: unknown, at: string) => string | undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const string: Shape = (value, at) => (typeof value === 'string' ? undefined : at);
export const number: Shape = (value, at) => (typeof value === 'number' ? undefined : at);
export const boolean: Shape = (value, at) => (typeof value === 'boolean' ? undefined : at);
/** An object whose fields are anything. */
export const record: Shape = (value, at) => (isRecord(value) ? undefined : at);

export const optional =
  (shape: Shape): Shape =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

export const list =
  (shape: Shape): Shape =>
  (value, at) =>
    Array.isArray(value) ? firstOf(value.map((each, index) => () => shape(each, `${at}[${index}]`))) : at;

/** A pair, as the entries of a map are written. */
export const pair =
  (left: Shape, right: Shape): Shape =>
  (value, at) =>
    Array.isArray(value) && value.length === 2
      ? (left(value[0], `${at}[0]`) ?? right(value[1], `${at}[1]`))
      : at;

/** Fields that must be there; others may be, of a newer version. */
export const object =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) =>
    isRecord(value)
      ? firstOf(
          Object.entries(fields).map(
            ([key, shape]) =>
              () =>
                shape(value[key], `${at}.${key}`),
          ),
        )
      : at;

/** `Observed<T>` of model/observed.ts. */
export const observed =
  (shape: Shape): Shape =>
  (value, at) => {
    if (!isRecord(value)) return at;
    const { seen, value: inner, why } = value;
    if (seen === true) return shape(inner, `${at}.value`);
    return seen === false ? string(why, `${at}.why`) : `${at}.seen`;
  };

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}
