import type { Query } from '../api.ts';

/** Path and query as one string. */
export function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    pairs.map(([key, value]): [string, string] => [key, String(value)]),
  ).toString();
  return text ? `${path}?${text}` : path;
}
