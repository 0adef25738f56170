// Every `npm run` task. Sees to all that the task needs first, so that each works alone on a fresh machine.
// Starts on the machine's own Node (20 or later); the tasks themselves run on the Node of node_modules.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages } from './setup/debian.mjs';
import { ensureGoBinaries } from './setup/go-binaries.mjs';
import { ensureKrew } from './setup/krew.mjs';
import { ensureNpmPackages } from './setup/npm.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
const log = (line) => console.error(`· ${line}`);

/** What the tests of the agent are compiled, sanitized and emulated with. */
const agentTools = ['gcc', 'clang-14', 'libclang-rt-14-dev', 'qemu-user-static'];

const suites = {
  unit: { files: ['test/unit/**/*.test.ts'], needs: async () => undefined },
  agent: { files: ['test/agent/**/*.test.ts'], needs: () => ensureDebianPackages(agentTools, log) },
  package: { files: ['test/package/**/*.test.ts'], needs: needPackaging },
  e2e: { files: ['test/e2e/**/*.test.ts'], needs: needCluster },
  slow: { files: ['test/slow/**/*.test.ts'], needs: needCluster },
};

async function needCluster() {
  needLinuxRoot();
  await ensureGoBinaries({ log });
  await build();
}

/** What the executables are stripped, emulated and installed with. */
async function needPackaging() {
  await needCluster();
  await ensureKrew({ log });
}

function needLinuxRoot() {
  if (process.platform !== 'linux')
    throw new Error(
      'the test cluster needs Linux: it is made of namespaces. npm run test:unit and npm run build work here.',
    );
  if (process.getuid() !== 0)
    throw new Error(
      'the test cluster needs root (namespaces, mounts, a bridge): run the same command with sudo.',
    );
}

const node = (...args) => run('node', args);

const build = async () => {
  const code = await node('scripts/build.mjs');
  if (code !== 0) throw new Error('the build failed; its words are above');
};

function run(command, args, extra = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...env, ...extra } });
  const pass = (signal) => child.kill(signal);
  process.on('SIGTERM', pass);
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGTERM', pass);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

async function runSuite(name, folder, patterns) {
  await suites[name].needs();
  const tally = join(folder, name);
  const files = patterns.length > 0 ? patterns : suites[name].files;
  const code = await run('mocha', files, { KUBECTL_CSI_TALLY: tally });
  return { name, code, ...readTally(tally) };
}

/** A suite that ended without a tally ended before its tests did: that is a failure, not zero tests. */
function readTally(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function runSuites(names, patterns = []) {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-tally-'));
  const results = [];
  try {
    for (const name of names) results.push(await runSuite(name, folder, patterns));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = sum('failed') || results.filter(({ code }) => code !== 0).length;
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`${sum('passed')} passed, ${failed} failed${skipped}`);
  return failed > 0 ? 1 : 0;
}

async function check() {
  const codes = [
    await node('scripts/generate-index.mjs', '--check'),
    await node('scripts/generate-protocol.mjs', '--check'),
    await node('scripts/generate-docs.mjs', '--check'),
    await node('scripts/generate-command-docs.mjs', '--check'),
    await run('biome', ['check', '--error-on-warnings', '.']),
    await run('tsc', ['-p', '.']),
  ];
  return Math.max(...codes);
}

const tasks = {
  build: async () => build().then(() => 0),
  check,
  format: () => run('biome', ['check', '--write', '.']),
  unit: (args) => runSuites(['unit'], args),
  agent: (args) => runSuites(['agent'], args),
  package: (args) => node('scripts/package.mjs', ...args),
  'test:package': (args) => runSuites(['package'], args),
  e2e: (args) => runSuites(['e2e'], args),
  slow: (args) => runSuites(['slow'], args),
  test: async () => (await check()) || runSuites(['unit', 'agent', 'e2e']),
  cluster: async (args) => {
    needLinuxRoot();
    return node('test/cluster/cli.ts', ...args);
  },
  demo: async (args) => {
    await needCluster();
    return node('test/cluster/demo.ts', ...args);
  },
  bench: async (args) => {
    await needCluster();
    return node('test/bench/bench.ts', ...args);
  },
};

async function main([name = '', ...args]) {
  const task = tasks[name];
  if (!task) throw new Error(`there is no task "${name}"; there are: ${Object.keys(tasks).join(', ')}`);
  ensureNpmPackages({ log });
  return task(args);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(`error: ${error.message}`);
    process.exit(1);
  },
);
