// One executable from Node, the program and its assets, by pkg in its SEA mode.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { adhocSigned } from './macho-signature.mjs';
import { nodeVersion, targets } from './targets.mjs';

const run = promisify(execFile);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @param {{ target: object, nodes: Record<string, string>, assets: Record<string, string>, output: string }} job
 *   `nodes` are Node's binaries by target; this machine's own is among them, because it makes the blob.
 * @throws with pkg's own words
 */
export async function makeExecutable({ target, nodes, assets, output }) {
  const home = mkdtempSync(join(tmpdir(), 'kubectl-csi-pkg-'));
  try {
    for (const [id, node] of Object.entries(nodes))
      seed(
        home,
        targets.find((each) => each.id === id),
        node,
      );
    copyFileSync(at('launcher.cjs'), join(home, 'launcher.cjs'));
    const job = join(home, 'job.json');
    writeFileSync(job, JSON.stringify({ target, output, seaConfig: seaConfig(assets) }));
    await run(process.execPath, [at('run-pkg.cjs'), job], {
      env: { ...process.env, HOME: home, TMPDIR: home },
      timeout: 300_000,
    });
    if (target.os === 'darwin') writeFileSync(output, adhocSigned(readFileSync(output), target.program));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The target that this machine can run. */
export const hostTarget = () =>
  targets.find((target) => target.pkg.arch === arch() && nodePlatform(target) === platform());

const nodePlatform = ({ os }) => (os === 'windows' ? 'win32' : os);

const seaConfig = (assets) => ({
  // As seen from pkg's own folder in the home: Node writes this path into the executable.
  main: '../launcher.cjs',
  assets,
  disableExperimentalSEAWarning: true,
  useCodeCache: false,
  execArgv: ['--disable-warning=ExperimentalWarning'],
  // Without this a NODE_OPTIONS of the user's would reach the plugin.
  execArgvExtension: 'none',
});

/** Lays Node's binary where pkg keeps what it has downloaded (its lib-es5/sea.js), so that it downloads nothing. */
function seed(home, { os, pkg }, node) {
  const cache = join(home, '.pkg-cache/sea');
  const name = `node-v${nodeVersion}-${os === 'windows' ? 'win' : os}-${pkg.arch}`;
  const binary = join(cache, os === 'windows' ? `${name}.exe` : `${name}/bin/node`);
  const archive = join(cache, `${name}.${os === 'windows' ? 'zip' : 'tar.gz'}`);
  mkdirSync(dirname(binary), { recursive: true });
  symlinkSync(node, binary);
  for (const file of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(file, '');
}
