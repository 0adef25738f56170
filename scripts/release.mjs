// Makes a whole release in one folder: node scripts/release.mjs [--output FOLDER] [--allow-dirty].
// Archives of all platforms, their digests, plugin.yaml, bill of materials, licences, container image. Publishing is:
// tag the commit, upload the folder's files to the release of that tag, send plugin.yaml to the Krew index.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeImage } from './package/image.mjs';
import { krewManifest, sha256 } from './package/manifest.mjs';
import { billOfMaterials } from './package/sbom.mjs';
import { programName, version } from './package/targets.mjs';
import { packageTargets } from './package.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Krew's index and people's lines want small archives. */
const largestArchive = 45_000_000;

/**
 * @param {{ folder: string, log: (line: string) => void }} options
 * @throws when an archive has grown too large
 */
export async function release({ folder, log }) {
  const { targets, packages } = await packageTargets({ folder, log });
  const digests = Object.fromEntries(targets.map(({ archive }) => [archive, sha256(join(folder, archive))]));
  for (const { archive } of targets) checkSize(join(folder, archive));
  const save = (name, text) => writeFileSync(join(folder, name), text);
  save('plugin.yaml', krewManifest(folder));
  save(`${programName}.cdx.json`, `${JSON.stringify(billOfMaterials(packages, digests), null, 2)}\n`);
  cpSync(join(folder, targets[0].id, 'THIRD-PARTY-LICENSES'), join(folder, 'THIRD-PARTY-LICENSES'));
  for (const arch of ['amd64', 'arm64']) {
    const image = `${programName}-image-linux-${arch}.tar`;
    log(`making ${image}`);
    writeImage(arch, join(folder, `linux-${arch}`), join(folder, image));
    digests[image] = sha256(join(folder, image));
  }
  save(
    'SHA256SUMS',
    Object.entries(digests)
      .map(([name, sum]) => `${sum}  ${name}\n`)
      .join(''),
  );
}

function checkSize(file) {
  const { size } = statSync(file);
  if (size > largestArchive)
    throw new Error(`${file} has ${size} bytes, more than the ${largestArchive} allowed`);
}

/** A release is of a commit, so that others can make the same bytes. */
function checkClean() {
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: at('.'), encoding: 'utf8' }).trim();
  if (changed)
    throw new Error(`these files are not committed:\n${changed}\nCommit them, or say --allow-dirty.`);
}

async function main() {
  const options = { output: { type: 'string' }, 'allow-dirty': { type: 'boolean' } };
  const { values } = parseArgs({ options });
  if (!values['allow-dirty']) checkClean();
  const folder = resolve(values.output ?? at(`dist/release/v${version}`));
  mkdirSync(folder, { recursive: true });
  await release({ folder, log: console.error });
  cpSync(join(folder, 'plugin.yaml'), at('plugin.yaml'));
  for (const name of readdirSync(folder)) console.log(join(folder, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main().catch((error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  });
