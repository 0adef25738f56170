import type { Edit } from '../../model/injection.ts';
import { applied, valueAt } from './edit.ts';

type Fields = Record<string, unknown>;

/**
 * The edits as one strategic merge patch of a pod spec. Items of lists are named by their merge keys, so nothing that
 * others wrote is repeated; lists keep their order, which the server would else change to that of the patch
 * (https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md).
 */
export function patchOf(podSpec: unknown, edits: readonly Edit[]): Readonly<Fields> {
  const after = applied(podSpec, edits);
  const patch: Fields = {};
  for (const edit of inOrder(edits, after)) place(patch, edit.path, edit, after, []);
  return patch;
}

/** Items of a patch stand in the order of the list that comes out. */
function inOrder(edits: readonly Edit[], after: unknown): readonly Edit[] {
  const position = ({ path: [list = '', item = ''] }: Edit) => {
    const [key = '', value] = splitItem(item);
    return ((valueAt(after, [list]) ?? []) as readonly Fields[]).findIndex((each) => each[key] === value);
  };
  return edits.toSorted((a, b) => position(a) - position(b));
}

const splitItem = (item: string) => {
  const at = item.indexOf('=');
  return [item.slice(0, at), item.slice(at + 1)] as const;
};

function place(
  into: Fields,
  [name = '', item, ...rest]: readonly string[],
  edit: Edit,
  after: unknown,
  way: readonly string[],
): void {
  if (item === undefined) into[name] = fieldValue(edit);
  else if (item.includes('=')) placeItem(into, name, item, rest, edit, after, way);
  else {
    into[name] ??= {};
    place(into[name] as Fields, [item, ...rest], edit, after, [...way, name]);
  }
}

function placeItem(
  into: Fields,
  name: string,
  item: string,
  rest: readonly string[],
  edit: Edit,
  after: unknown,
  way: readonly string[],
): void {
  const [key, value] = splitItem(item);
  const result = (valueAt(after, [...way, name]) ?? []) as readonly Fields[];
  into[`$setElementOrder/${name}`] = result.map((each) => ({ [key]: each[key] }));
  into[name] ??= [];
  const list = into[name] as Fields[];
  let entry = list.find((each) => each[key] === value);
  if (!entry) {
    entry = { [key]: value };
    list.push(entry);
  }
  if (rest.length > 0) place(entry, rest, edit, after, [...way, name, item]);
  else if (edit.after === null) entry.$patch = 'delete';
  else Object.assign(entry, edit.after);
}

/** What is there is merged with, not replaced, unless the patch says so. */
function fieldValue({ before, after }: Edit): unknown {
  const merges = isObject(before) && isObject(after);
  return merges ? { ...(after as object), $patch: 'replace' } : after;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
