// Node's binary for any platform, from npm, stripped where that is possible, kept in the cache.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { ensureDebianPackages } from '../setup/debian.mjs';
import { cacheFolder } from '../setup/go-binaries.mjs';
import { nodeVersion } from './targets.mjs';

const run = promisify(execFile);

/**
 * @param {import('./targets.mjs').targets[number]} target
 * @param {(line: string) => void} log
 * @returns {Promise<{ binary: string, original: string }>} paths: to put the program into, and as published
 * @throws when npm cannot fetch it, or what it fetched is not what was pinned
 */
export async function nodeBinary(target, log) {
  const folder = join(cacheFolder(), 'node', `${target.npm}-${digestName(target)}`);
  if (!existsSync(folder)) await fetchInto(folder, target, log);
  const name = target.os === 'windows' ? 'node.exe' : 'node';
  const original = join(folder, 'bin', name);
  return { original, binary: target.os === 'linux' ? await stripped(folder, original) : original };
}

const digestName = ({ integrity }) =>
  createHash('sha256').update(`${nodeVersion} ${integrity}`).digest('hex').slice(0, 12);

async function fetchInto(folder, { npm, integrity }, log) {
  log(`fetching ${npm} ${nodeVersion}`);
  mkdirSync(join(folder, '..'), { recursive: true });
  const fresh = mkdtempSync(`${folder}.`);
  try {
    const archive = await pack(`${npm}@${nodeVersion}`, fresh);
    const actual = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (actual !== integrity)
      throw new Error(
        `${npm} ${nodeVersion} is not what scripts/package/targets.mjs pins: npm gave ${actual}. After a change of Node's version write that there; otherwise somebody changed the package.`,
      );
    await extract({
      file: archive,
      cwd: fresh,
      strip: 1,
      filter: (path) => /\/bin\/node|LICENSE$/.test(path),
    });
    rmSync(archive);
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** `npm pack` takes any platform's package on any machine; npm install refuses foreign ones. */
async function pack(spec, folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['pack', spec, '--pack-destination', folder, '--silent'];
  const { stdout } = await run(npm, args, { timeout: 600_000, cwd: folder });
  return join(folder, basename(stdout.trim()));
}

/** Symbols are 18 MB of a Linux Node. Mach-O keeps its own: its layout is part of what is signed. */
async function stripped(folder, original) {
  const result = join(folder, 'node-stripped');
  if (existsSync(result)) return result;
  const command = await stripCommand();
  const fresh = `${result}.${process.pid}`;
  copyFileSync(original, fresh);
  await run(command, ['--strip-all', fresh]);
  renameSync(fresh, result);
  return result;
}

/** LLVM's, because it strips every architecture's. */
async function stripCommand() {
  if (await works('llvm-strip')) return 'llvm-strip';
  await ensureDebianPackages(['llvm'], console.error);
  return 'llvm-strip';
}

const works = (command) =>
  run(command, ['--version']).then(
    () => true,
    () => false,
  );
