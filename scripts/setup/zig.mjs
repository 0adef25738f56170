// Installs the pinned C compiler that builds the node agent for every architecture. Starts on Node 20.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureDebianPackages } from './debian.mjs';

const run = promisify(execFile);

export const ZIG_VERSION = '0.17.1';

const WHEELS = {
  x64: 'ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54',
  arm64: 'b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e',
};

/** The folder for everything that is built or downloaded outside the checkout. */
export function cacheFolder(...parts) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-csi', ...parts);
}

/**
 * Installs zig into the cache folder unless it is there.
 *
 * @param {{ log: (line: string) => void }} options
 * @returns {Promise<string>} path of the zig executable
 * @throws when there is no Python package installer and none can be installed
 */
export async function ensureZig({ log }) {
  const folder = cacheFolder('zig', `${ZIG_VERSION}-${process.arch}`);
  const zig = join(folder, 'ziglang', 'zig');
  if (existsSync(zig)) return zig;
  const wheel = WHEELS[process.arch];
  if (wheel === undefined)
    throw new Error(`the agent can't be built on ${process.arch}: build it on x64 or arm64`);
  const python = await ensurePip(log);
  log(`installing zig ${ZIG_VERSION} (100 MB)`);
  await mkdir(cacheFolder('zig'), { recursive: true });
  const fresh = await mkdtemp(`${folder}.`);
  try {
    await install(python, fresh, wheel);
    await rename(fresh, folder);
  } catch (error) {
    if (!existsSync(zig)) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return zig;
}

async function ensurePip(log) {
  if (await hasPip('python3')) return 'python3';
  await ensureDebianPackages(['python3', 'python3-pip'], log);
  return '/usr/bin/python3';
}

async function hasPip(python) {
  return run(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  );
}

async function install(python, folder, sha256) {
  const requirements = join(folder, 'requirements.txt');
  await writeFile(requirements, `ziglang==${ZIG_VERSION} --hash=sha256:${sha256}\n`);
  const flags = [
    '--quiet',
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    '--disable-pip-version-check',
  ];
  const target = ['--root-user-action=ignore', '--target', folder, '--requirement', requirements];
  await run(python, ['-m', 'pip', 'install', ...flags, ...target], { timeout: 600_000 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await ensureZig({ log: console.error }));
