// Makes plugin.yaml, the Krew manifest, from krew/template.yaml and the archives of a release.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { inSource } from './program.mjs';
import { plugin, repository, targets, version } from './targets.mjs';

const template = fileURLToPath(new URL('../../krew/template.yaml', import.meta.url));

export const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * @param {string} folder of the archives, all of them
 * @param {string} base the address that archives are fetched from
 * @returns {string} the manifest
 * @throws when an archive is missing
 */
export function krewManifest(folder, base = `${repository}/releases/download/v${version}`) {
  const text = readFileSync(template, 'utf8').replace(inSource, `kubectl ${plugin}`);
  const { apiVersion, kind, spec } = parse(text);
  const platforms = targets.map((target) => platform(target, folder, base));
  const head = { version: `v${version}`, homepage: repository };
  return stringify({ apiVersion, kind, metadata: { name: plugin }, spec: { ...head, ...spec, platforms } });
}

const platform = ({ os, arch, archive, program }, folder, base) => ({
  selector: { matchLabels: { os, arch } },
  uri: `${base}/${archive}`,
  sha256: sha256(join(folder, archive)),
  files: [program, 'LICENSE', 'THIRD-PARTY-LICENSES'].map((from) => ({ from, to: '.' })),
  bin: program,
});
