import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (path) =>
      path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.endsWith('.gen.ts') && !path.includes('/gen/'),
  );
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');

const longestFile = 200;
const longestFunction = 40;

interface Span {
  readonly path: string;
  readonly name: string;
  readonly length: number;
}

/** Functions at the margin and methods of classes, from their first line to the closing brace at the same margin. */
function functionsOf(path: string): readonly Span[] {
  const lines = linesOf(path);
  return lines.flatMap((line, start): readonly Span[] => {
    const [, margin = '', name = ''] =
      /^( {0,2})(?:export )?(?:default )?(?:async )?(?:function\*? |(?:const )|#)?(\w+)\b.*(?:\(|=>).*(?:\{|\()$/.exec(
        line,
      ) ?? [];
    if (
      name === '' ||
      /^(if|for|while|switch|return|else|catch|try|import|export|define[A-Z]\w*)$/.test(name)
    )
      return [];
    const end = lines.findIndex(
      (each, index) => index > start && new RegExp(`^${margin}[})]`).test(each) && !/[({]$/.test(each),
    );
    return end < 0 ? [] : [{ path, name, length: end - start + 1 }];
  });
}

describe('the lines of the house: sizes', () => {
  it(`no file is longer than ${longestFile} lines`, () => {
    const long = files
      .map((path) => ({ path, length: linesOf(path).length }))
      .filter(({ length }) => length > longestFile);
    assert.deepEqual(long, []);
  });

  it(`no function is longer than ${longestFunction} lines`, () => {
    const spans = files.flatMap(functionsOf);
    assert.ok(spans.length > 300);
    assert.deepEqual(
      spans.filter(({ length }) => length > longestFunction),
      [],
    );
  });
});
