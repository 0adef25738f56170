// The bill of materials (CycloneDX 1.6, JSON) of the executables: what esbuild really put into the bundle, Node, and
// what the node agents are linked with. No clock and no random serial number: the same commit gives the same bytes.
import { createHash } from 'node:crypto';
import { ZIG_VERSION } from '../setup/zig.mjs';
import { licencesOf } from './licences.mjs';
import { nodeVersion, programName, repository, targets, version } from './targets.mjs';

const component = (name, number, license, purl) => ({
  type: 'library',
  'bom-ref': purl,
  name,
  version: number,
  licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }],
  purl,
});

/**
 * @param {readonly string[]} packages names of the npm packages inside
 * @param {Record<string, string>} digests SHA-256 of the archives by name
 */
export function billOfMaterials(packages, digests) {
  const npm = licencesOf(packages).map(({ name, version: number, license }) =>
    component(name, number, license, `pkg:npm/${name.replace('@', '%40')}@${number}`),
  );
  const nodes = targets.map(({ npm: name }) =>
    component(name, nodeVersion, 'MIT', `pkg:npm/${name}@${nodeVersion}`),
  );
  const zig = component('musl (ziglang)', ZIG_VERSION, 'MIT', `pkg:pypi/ziglang@${ZIG_VERSION}`);
  const components = [...npm, ...nodes, zig];
  const root = `pkg:generic/${programName}@${version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([components, digests]))}`,
    version: 1,
    metadata: { component: application(root, digests) },
    components,
    dependencies: [{ ref: root, dependsOn: components.map((each) => each['bom-ref']) }],
  };
}

const application = (root, digests) => ({
  type: 'application',
  'bom-ref': root,
  name: programName,
  version,
  licenses: [{ license: { id: 'Apache-2.0' } }],
  purl: root,
  externalReferences: Object.entries(digests).map(([name, content]) => ({
    type: 'distribution',
    url: `${repository}/releases/download/v${version}/${name}`,
    hashes: [{ alg: 'SHA-256', content }],
  })),
});

/** A UUID (version 8, RFC 9562: the maker's own) from the content. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 32).split('');
  hex[12] = '8';
  hex[16] = 'a';
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
