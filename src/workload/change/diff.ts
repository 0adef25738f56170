type Op = readonly [sign: ' ' | '-' | '+', line: string];

/** Lines of two texts as a unified diff without file names; empty where they are equal. */
export function diffLines(before: string, after: string, context = 3): readonly string[] {
  const ops = compare(before.trimEnd().split('\n'), after.trimEnd().split('\n'));
  const near = ops.map((_, index) =>
    ops.slice(Math.max(0, index - context), index + context + 1).some(([sign]) => sign !== ' '),
  );
  return ops.flatMap(([sign, line], index) => {
    if (!near[index]) return [];
    const gap = index > 0 && !near[index - 1] ? ['@@'] : [];
    return [...gap, `${sign}${line}`];
  });
}

/** By the longest common subsequence: pod specs have some hundred lines. */
function compare(a: readonly string[], b: readonly string[]): readonly Op[] {
  const lengths = table(a, b);
  const ops: Op[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      ops.push([' ', a[i] ?? '']);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1)))
      ops.push(['-', a[i++] ?? '']);
    else ops.push(['+', b[j++] ?? '']);
  }
  return ops;
}

const at = (lengths: readonly (readonly number[])[], i: number, j: number) => lengths[i]?.[j] ?? 0;

/** Length of the longest common subsequence of what is left from each pair of lines on. */
function table(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const rows: number[][] = Array.from({ length: a.length + 1 }, () =>
    new Array<number>(b.length + 1).fill(0),
  );
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = rows[i] as number[];
      row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  return rows;
}
