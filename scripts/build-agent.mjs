#!/usr/bin/env node
// Builds the node agent for every architecture into dist/agent. Starts on Node 20.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateProtocol, isCurrent } from './generate-protocol.mjs';
import { cacheFolder, ensureZig, ZIG_VERSION } from './setup/zig.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = join(ROOT, 'agent', 'src');

// Kubernetes' name of an architecture, and the compiler's.
const TARGETS = {
  amd64: 'x86_64-linux-musl',
  arm64: 'aarch64-linux-musl',
  arm: 'arm-linux-musleabihf',
  ppc64le: 'powerpc64le-linux-musl',
  riscv64: 'riscv64-linux-musl',
  s390x: 's390x-linux-musl',
};

const FLAGS = [
  '-std=c17',
  '-D_GNU_SOURCE',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-Os',
  '-fno-sanitize=undefined',
  '-fstack-protector-strong',
  '-ffunction-sections',
  '-fdata-sections',
  '-Wl,--gc-sections',
  '-static',
  '-s',
];

/** Architectures that the agent is built for, as Kubernetes names them. */
export const AGENT_ARCHITECTURES = Object.keys(TARGETS);

/** Version that the agent says in its hello record. */
export function agentVersion() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}

/** The agent's C sources in a folder, in a fixed order. */
export function agentSources(folder = SOURCES) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.c'));
  return names.sort().map((name) => join(folder, name));
}

/**
 * Writes dist/agent/agent-linux-ARCH for every architecture. The same sources give the same bytes.
 *
 * @param {{ log: (line: string) => void }} options
 * @returns {Promise<Record<string, string>>} path of the binary by architecture
 * @throws when the generated protocol is stale or the compiler refuses the sources
 */
export async function buildAgents({ log }) {
  if (!generateProtocol().every(isCurrent)) {
    throw new Error('the generated protocol is not current; type: node scripts/generate-protocol.mjs');
  }
  const built = cacheFolder('agent', agentInputsDigest());
  if (!existsSync(built)) await buildInto(built, log);
  const dist = join(ROOT, 'dist', 'agent');
  await mkdir(dist, { recursive: true });
  const paths = {};
  for (const arch of AGENT_ARCHITECTURES) {
    const name = `agent-linux-${arch}`;
    paths[arch] = join(dist, name);
    await replaceFile(join(built, name), paths[arch]);
  }
  return paths;
}

/** Changes when anything does that the agents are built from. */
export function agentInputsDigest() {
  const digest = createHash('sha256').update(JSON.stringify([ZIG_VERSION, TARGETS, FLAGS, agentVersion()]));
  for (const name of readdirSync(SOURCES).sort())
    digest.update(name).update(readFileSync(join(SOURCES, name)));
  return digest.digest('hex').slice(0, 16);
}

async function buildInto(folder, log) {
  await mkdir(cacheFolder('agent'), { recursive: true });
  const fresh = await mkdtemp(`${folder}.`);
  try {
    for (const arch of AGENT_ARCHITECTURES) {
      log(`building the agent for ${arch}`);
      await compileAgent({ arch, sources: agentSources(), output: join(fresh, `agent-linux-${arch}`), log });
    }
    await rename(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * Compiles the agent once.
 *
 * @param {{ arch: string, sources: readonly string[], output: string, log: (line: string) => void }} options
 * @throws with the compiler's words
 */
export async function compileAgent({ arch, sources, output, log }) {
  const zig = await ensureZig({ log });
  const target = TARGETS[arch];
  const version = `-DAGENT_VERSION="${agentVersion()}"`;
  const args = ['cc', '-target', target, ...FLAGS, version, '-o', output, ...sources];
  const env = { ...process.env, ZIG_GLOBAL_CACHE_DIR: cacheFolder('zig', 'objects') };
  await run('nice', [zig, ...args], { cwd: ROOT, env, timeout: 600_000 }).catch((error) => {
    throw new Error(`the agent does not compile for ${target}:\n${error.stderr || error.message}`);
  });
}

// Renamed into place, so that a running agent's file is never written to.
async function replaceFile(from, to) {
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) return;
  await copyFile(from, `${to}.${process.pid}`);
  await rename(`${to}.${process.pid}`, to);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const paths = await buildAgents({ log: console.error });
    for (const path of Object.values(paths)) console.log(path);
  } catch (error) {
    console.error(`build-agent: ${error.message}`);
    process.exitCode = 1;
  }
}
