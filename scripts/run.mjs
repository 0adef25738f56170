// Every `npm run` task. Sees to all that the task needs first, so that each works alone on a fresh machine.
// Starts on the machine's own Node (20 or later); the tasks themselves run on the Node of node_modules.

import { run } from './child.mjs';
import { ensureDebianPackages } from './setup/debian.mjs';
import { ensureGoBinaries } from './setup/go-binaries.mjs';
import { ensureKrew } from './setup/krew.mjs';
import { ensureNpmPackages } from './setup/npm.mjs';
import { runSuites } from './suites.mjs';

const log = (line) => console.error(`· ${line}`);

/** What the tests of the agent are compiled, sanitized and emulated with. */
const agentTools = ['gcc', 'clang-14', 'libclang-rt-14-dev', 'qemu-user-static'];

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

/** What each suite of tests needs first. */
const needs = {
  unit: async () => undefined,
  agent: () => ensureDebianPackages(agentTools, log),
  driver: needCluster,
  package: needPackaging,
  e2e: needCluster,
  slow: needCluster,
};

async function test(names, patterns = []) {
  for (const name of names) await needs[name]();
  return runSuites(names, patterns);
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
  unit: (args) => test(['unit'], args),
  agent: (args) => test(['agent'], args),
  package: (args) => node('scripts/package.mjs', ...args),
  'test:package': (args) => test(['package'], args),
  'test:driver': (args) => test(['driver'], args),
  e2e: (args) => test(['e2e'], args),
  slow: (args) => test(['slow'], args),
  test: async () => (await check()) || test(['e2e', 'agent', 'driver', 'unit']),
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
    const [name = 'recovery', ...more] = args;
    return node(`test/bench/${name}.ts`, ...more);
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
