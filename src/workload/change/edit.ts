import { isDeepStrictEqual } from 'node:util';
import type { Edit } from '../../model/injection.ts';

type Fields = Readonly<Record<string, unknown>>;

/** `name=app` selects an item of a list; anything else is a field's name. */
function selector(step: string): readonly [string, string] | undefined {
  const at = step.indexOf('=');
  return at < 0 ? undefined : [step.slice(0, at), step.slice(at + 1)];
}

const isItem = (key: string, value: string) => (item: unknown) => (item as Fields)[key] === value;

/** @returns null where it is absent */
export function valueAt(from: unknown, path: readonly string[]): unknown {
  let value = from;
  for (const step of path) {
    if (value === undefined || value === null) return null;
    const item = selector(step);
    value = item ? (value as readonly unknown[]).find(isItem(...item)) : (value as Fields)[step];
  }
  return value ?? null;
}

/** A copy with a field set, or taken out where `value` is null. */
export function withValue<T>(from: T, path: readonly string[], value: unknown): T;
export function withValue(from: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const item = selector(step);
  return item
    ? withItem((from ?? []) as readonly unknown[], item, rest, value)
    : withField((from ?? {}) as Fields, step, rest, value);
}

function withField(fields: Fields, name: string, rest: readonly string[], value: unknown): Fields {
  const { [name]: current, ...others } = fields;
  const next = withValue(current, rest, value);
  if (next === null) return others;
  return name in fields
    ? Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, key === name ? next : each]))
    : { ...fields, [name]: next };
}

function withItem(
  list: readonly unknown[],
  [key, name]: readonly [string, string],
  rest: readonly string[],
  value: unknown,
): readonly unknown[] {
  const index = list.findIndex(isItem(key, name));
  const next = withValue(list[index] ?? { [key]: name }, rest, value);
  if (index < 0) return next === null ? list : [...list, next];
  return next === null ? list.toSpliced(index, 1) : list.with(index, next);
}

export const applied = <T>(podSpec: T, edits: readonly Edit[]): T =>
  edits.reduce((spec, { path, after }) => withValue(spec, path, after), podSpec);

export const inverse = (edits: readonly Edit[]): readonly Edit[] =>
  edits.map(({ path, before, after }) => ({ path, before: after, after: before })).reverse();

export const isSame = (a: unknown, b: unknown) => isDeepStrictEqual(plain(a), plain(b));

/** Without fields that are undefined, and with lists and objects as JSON has them. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Whether a path is another one, or leads further down from it. */
export const isBelow = (path: readonly string[], upper: readonly string[]) =>
  upper.every((step, index) => path[index] === step);

const samePath = (a: Edit, b: Edit) => a.path.length === b.path.length && isBelow(a.path, b.path);
const overlap = (a: Edit, b: Edit) => isBelow(a.path, b.path) || isBelow(b.path, a.path);

/** Edits on top of earlier ones: what was there first stays known, and what comes back to it is no edit. */
export function onTop(earlier: readonly Edit[], later: readonly Edit[]): readonly Edit[] {
  const kept = earlier.filter((edit) => !later.some((each) => overlap(each, edit)));
  const merged = later.map((edit) => {
    const first = earlier.find((each) => samePath(each, edit));
    return first ? { ...edit, before: first.before } : edit;
  });
  return [...kept, ...merged].filter(({ before, after }) => !isSame(before, after));
}
