import { isGone } from '../errors.ts';

interface Page<T> {
  readonly items: readonly T[] | null;
  readonly metadata?: { readonly continue?: string };
}

interface PageQuery {
  readonly limit: number;
  readonly continue: string | undefined;
}

const pageSize = 500;

/** Reads every page. A continue token that has expired (410) starts the list once more from its head. */
export async function listPages<T>(read: (query: PageQuery) => Promise<Page<T>>): Promise<readonly T[]> {
  try {
    return await readPages(read);
  } catch (error) {
    if (!isGone(error)) throw error;
    return readPages(read);
  }
}

async function readPages<T>(read: (query: PageQuery) => Promise<Page<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  let token: string | undefined;
  do {
    const page = await read({ limit: pageSize, continue: token });
    for (const item of page.items ?? []) items.push(item);
    token = page.metadata?.continue || undefined;
  } while (token);
  return items;
}
