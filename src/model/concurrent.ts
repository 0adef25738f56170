/** Runs `work` on every item, at most `limit` at once; results in the order of the items. The first failure fails all. */
export async function mapConcurrent<T, U>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<U>,
): Promise<readonly U[]> {
  const results = new Array<U>(items.length);
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, drain));
  return results;
}
