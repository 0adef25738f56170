// The program as the executables carry it: one function around the bundle, and V8's code cache of it.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureDebianPackages } from '../setup/debian.mjs';
import { plugin } from './targets.mjs';

const run = promisify(execFile);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What the words of the program call the plugin, whatever name it is published by. */
export const inSource = /\bkubectl csi\b/g;

/** Writes the bundle as a function of CommonJS's names, which scripts/package/launcher.cjs calls. */
export function writeProgram(bundle, file, name = plugin) {
  const source = readFileSync(bundle, 'latin1').replace(inSource, `kubectl ${name}`);
  writeFileSync(file, `(function (require, module, exports, __filename, __dirname) {${source}\n})`, 'latin1');
}

/**
 * Writes a code cache, made by the target's own Node: V8 takes only what the same V8 has made. A fixed random seed
 * makes the same bytes each time (identifiers' hashes are part of the cache).
 *
 * @returns {Promise<boolean>} false where the target's Node cannot run on this machine; the program works without
 */
export async function writeCodeCache(target, node, program, file) {
  const emulator = await emulatorFor(target);
  if (!emulator) return false;
  const capture = at('../../test/fixtures/captures/lost-event.json');
  const args = ['--random-seed=1', at('code-cache.cjs'), program, file, capture];
  const [command, ...rest] = [...emulator, node, ...args];
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
  rmSync(file, { force: true });
  await run(command, rest, { timeout: 300_000, env });
  return true;
}

/** @returns the command in front of a foreign program, nothing where it is native, undefined where it cannot run */
export async function emulatorFor({ os, arch: targetArch }) {
  if (os !== 'linux' || platform() !== 'linux') return undefined;
  if (targetArch === { x64: 'amd64', arm64: 'arm64' }[arch()]) return [];
  if (targetArch !== 'arm64') return undefined;
  const libraries = ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libgcc-s1-arm64-cross'];
  await ensureDebianPackages(['qemu-user-static', ...libraries], console.error);
  return ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'];
}
