import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], {
  encoding: 'utf8',
});
const files = tracked.split('\n').filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
const textOf = (path: string) => readFileSync(path, 'utf8');
const folderOf = (path: string) => path.split('/')[1] ?? '';
const isGenerated = (path: string) => path.endsWith('.gen.ts') || path.includes('/gen/');

/** Folders that may reach the world outside; all others are pure. */
const outside = new Set(['cluster', 'reach', 'files', 'cli', 'main.ts']);
const pure = new Set(['model', 'kubelet', 'workload', 'diagnose', 'plan', 'protocol', 'render']);

/** Modules of Node.js that only compute. */
const computing = /^node:(assert|buffer|crypto|events|path|querystring|timers\/promises|url|util)$/;

interface Import {
  readonly path: string;
  readonly from: string;
  readonly typeOnly: boolean;
}

function importsOf(path: string): readonly Import[] {
  const text = textOf(path).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const statics = text.matchAll(/^(import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]/gm);
  const dynamics = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  const bare = text.matchAll(/^import\s+['"]([^'"]+)['"]/gm);
  return [
    ...[...statics].map(([, , type, from = '']) => ({ path, from, typeOnly: type !== undefined })),
    ...[...dynamics, ...bare].map(([, from = '']) => ({ path, from, typeOnly: false })),
  ];
}

const imports = files.flatMap(importsOf);
const text = ({ path, from }: Import) => `${path} imports ${from}`;
const values = imports.filter(({ typeOnly }) => !typeOnly);
const targetFolder = ({ path, from }: Import) =>
  from.startsWith('.') ? folderOf(normalize(join(dirname(path), from))) : '';
const among = (folders: ReadonlySet<string>) => (each: Import) => folders.has(folderOf(each.path));

describe('the lines of the house: imports', () => {
  it('are seen at all', () => {
    assert.ok(files.length > 100);
    assert.ok(imports.some(({ from }) => from === '@kubernetes/client-node'));
    assert.ok(values.some(({ from }) => from === 'node:fs'));
  });

  it('pure folders use nothing of Node.js that does more than compute', () => {
    const wrong = values
      .filter(among(pure))
      .filter(({ from }) => from.startsWith('node:') && !computing.test(from));
    assert.deepEqual(wrong.map(text), []);
  });

  it('pure folders import no folder that reaches outside, and no repair', () => {
    const forbidden = new Set([...outside, 'stages', 'repair', 'commands']);
    const wrong = values.filter(among(pure)).filter((each) => forbidden.has(targetFolder(each)));
    // A usage error is the one thing that rendering says to the command line: an unknown format.
    const allowed = 'src/render/render.ts imports ../cli/usage-error.ts';
    assert.deepEqual(
      wrong.map(text).filter((line) => line !== allowed),
      [],
    );
  });

  it('repair reaches the world only through what it is handed', () => {
    const forbidden = new Set([...outside, 'stages', 'commands', 'render']);
    const wrong = values
      .filter(among(new Set(['repair'])))
      .filter(
        (each) =>
          forbidden.has(targetFolder(each)) || (each.from.startsWith('node:') && !computing.test(each.from)),
      );
    assert.deepEqual(wrong.map(text), []);
  });

  it('only folders that reach outside use files, networks and processes of Node.js', () => {
    const wrong = values
      .filter(({ path }) => !outside.has(folderOf(path)))
      .filter(({ from }) => from.startsWith('node:') && !computing.test(from));
    // The name of who heals stands in the lease.
    const allowed = 'src/stages/world.ts imports node:os';
    assert.deepEqual(
      wrong.map(text).filter((line) => line !== allowed),
      [],
    );
  });

  it('only cluster uses the Kubernetes client for more than its types', () => {
    const wrong = values.filter(
      ({ from, path }) => from === '@kubernetes/client-node' && folderOf(path) !== 'cluster',
    );
    assert.deepEqual(wrong.map(text), []);
  });

  it('no cycle runs through the model: it imports nothing but itself', () => {
    const wrong = imports
      .filter(({ path }) => folderOf(path) === 'model')
      .filter((each) => targetFolder(each) !== 'model');
    assert.deepEqual(wrong.map(text), []);
  });
});

describe('the lines of the house: words in the source', () => {
  const own = files.filter((path) => !isGenerated(path));
  const lines = own.flatMap((path) => {
    const code = textOf(path).replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '));
    return code
      .split('\n')
      .map((line, index) => ({ at: `${path}:${index + 1}`, path, line: line.replace(/\/\/.*$/, '') }));
  });
  const having = (pattern: RegExp, except: (path: string) => boolean = () => false) =>
    lines.filter(({ line, path }) => pattern.test(line) && !except(path)).map(({ at }) => at);

  it('process.exit stands in main.ts alone', () => {
    assert.deepEqual(
      having(/\bprocess\.exit\b/, (path) => path === 'src/main.ts'),
      [],
    );
    assert.match(textOf('src/main.ts'), /process\.exit/);
  });

  it('nobody writes to the console', () => {
    assert.deepEqual(having(/\bconsole\./), []);
  });

  it('the process and its environment are read at the edges only', () => {
    const used = /\bprocess\.(argv|cwd|env|exitCode|kill|off|on|once|pid|platform|std\w+|versions)\b/;
    // The version says on what it runs.
    const allowed = (path: string) => outside.has(folderOf(path)) || path === 'src/commands/version.ts';
    assert.deepEqual(having(used, allowed), []);
  });

  it('nothing is put off or passed over', () => {
    const marks = own.filter((path) =>
      /\b(TODO|FIXME|XXX|HACK|eslint-disable|biome-ignore|@ts-ignore|@ts-expect-error)\b/.test(textOf(path)),
    );
    assert.deepEqual(marks, []);
  });
});
