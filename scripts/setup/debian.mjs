// Installs Debian packages that the test cluster needs. Starts on Node 20 and has no dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Installs those of the named packages that are missing; asks only dpkg when none is.
 *
 * @param {readonly string[]} names
 * @param {(line: string) => void} log
 * @throws when something is missing and this is not Linux, not a Debian-like system, or not root
 */
export async function ensureDebianPackages(names, log) {
  if (process.platform !== 'linux') {
    throw new Error(`the test cluster needs Linux (this is ${process.platform}): run it in a Debian machine`);
  }
  if (!existsSync('/usr/bin/dpkg-query')) {
    throw new Error(
      `this is no Debian-like system; install by hand what these packages hold: ${names.join(' ')}`,
    );
  }
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`these packages are missing; as root: apt-get install ${missing.join(' ')}`);
  }
  log(`installing ${missing.join(' ')}`);
  if (!missing.every(isKnown)) await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', ...missing]);
}

function isInstalled(name) {
  return succeeds('dpkg-query', ['-s', name], 'Status: install ok installed');
}

function isKnown(name) {
  return succeeds('apt-cache', ['show', '--no-all-versions', name], `Package: ${name}`);
}

function succeeds(command, args, expected) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).includes(
      expected,
    );
  } catch {
    return false;
  }
}

function apt(args) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const output = [];
    const child = spawn('apt-get', ['-q', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(text));
    child.on('error', reject).on('close', (code) => {
      if (code === 0) resolve(undefined);
      else
        reject(
          new Error(`apt-get ${args[0]} failed:\n${Buffer.concat(output).toString().trim().slice(-2000)}`),
        );
    });
  });
}
