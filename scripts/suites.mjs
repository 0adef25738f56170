// The suites of tests, and one closing line for all of them: `N passed, N failed`.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './child.mjs';

/** Tests on the real cluster wait more than they work: that many parts run side by side, each with a cluster of its own. */
const lanes = 2;

/** A suite is parts; a part is one process. What lies directly in `test/e2e` and `test/slow` is a part each. */
const suites = {
  unit: () => [mocha('unit', 'test/unit/**/*.test.ts')],
  agent: () => [mocha('agent', 'test/agent/**/*.test.ts')],
  package: () => [mocha('package', 'test/package/**/*.test.ts')],
  driver: () => [goTests('driver', 'test/cluster/driver')],
  e2e: () => partsOf('test/e2e'),
  slow: () => partsOf('test/slow'),
};

const partsOf = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.test.ts'))
    .map(({ name, parentPath }) => {
      const path = join(parentPath, name);
      return mocha(join(folder, name), name.endsWith('.ts') ? path : `${path}/**/*.test.ts`);
    });

const mocha = (name, ...files) => ({
  name,
  start: (tally, output) => run('mocha', files, { env: { KUBECTL_CSI_TALLY: tally }, output }),
  read: readTally,
});

/** A part that ended without a tally ended before its tests did: that is a failure, not zero tests. */
function readTally(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  return JSON.parse(readFileSync(file, 'utf8'));
}

function goTests(name, folder) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const words = { '--- PASS': 'passed', '--- FAIL': 'failed', '--- SKIP': 'skipped' };
  return {
    name,
    start: (_tally, output) =>
      run('go', ['test', '-v', '-count=1', './...'], {
        cwd: join(root, folder),
        output: (chunk) => {
          for (const [, word] of String(chunk).matchAll(/^\s*(--- (?:PASS|FAIL|SKIP)):/gm))
            counts[words[word]] += 1;
          output?.(chunk);
        },
      }),
    read: () => counts,
  };
}

/** Runs parts side by side; a part's words are printed when it ends, so that they do not mix. */
async function runParts(parts, folder) {
  const queue = parts.entries();
  const results = [];
  const quiet = parts.length > 1;
  const lane = async () => {
    for (const [index, part] of queue) results.push(await runPart(part, join(folder, String(index)), quiet));
  };
  await Promise.all(Array.from({ length: Math.min(lanes, parts.length) }, lane));
  return results;
}

async function runPart(part, tally, quiet) {
  const begin = Date.now();
  const chunks = [];
  if (quiet) console.error(`· ${part.name} begins`);
  const code = await part.start(tally, quiet ? (chunk) => chunks.push(chunk) : undefined);
  process.stdout.write(Buffer.concat(chunks));
  const counts = part.read(tally);
  console.error(
    `· ${part.name}: ${counts.passed} passed, ${counts.failed} failed in ${Math.round((Date.now() - begin) / 1000)} s`,
  );
  return { code, ...counts };
}

/**
 * @param {string[]} names suites
 * @param {string[]} patterns test files, instead of all of the one suite
 * @returns {Promise<number>} exit code
 */
export async function runSuites(names, patterns = []) {
  const parts =
    patterns.length > 0 ? [mocha(names[0], ...patterns)] : names.flatMap((name) => suites[name]());
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-tally-'));
  let results = [];
  try {
    results = await runParts(parts, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = sum('failed') || results.filter(({ code }) => code !== 0).length;
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`${sum('passed')} passed, ${failed} failed${skipped}`);
  return failed > 0 ? 1 : 0;
}
