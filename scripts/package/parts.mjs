// What every executable carries: the program, the node agents of all architectures, and the licences.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgents } from '../build-agent.mjs';
import { bundle } from '../bundle.mjs';
import { generateIndexes } from '../generate-index.mjs';
import { licenceReport } from './licences.mjs';
import { writeProgram } from './program.mjs';

const licence = fileURLToPath(new URL('../../LICENSE', import.meta.url));

/**
 * Builds the parts into a folder.
 *
 * @param {string} folder
 * @param {string} nodeLicence Node's own licence text
 * @returns {Promise<{ packages: string[], program: string, assets: Record<string, string> }>} names of the npm packages
 *   inside; path of the program; paths of all assets by name
 */
export async function buildParts(folder, nodeLicence, log) {
  mkdirSync(folder, { recursive: true });
  generateIndexes({ write: true });
  const agents = await buildAgents({ log });
  const bundled = join(folder, 'bundle.cjs');
  const packages = await bundle(bundled);
  const program = join(folder, 'kubectl-csi.cjs');
  writeProgram(bundled, program);
  cpSync(licence, join(folder, 'LICENSE'));
  const licences = join(folder, 'THIRD-PARTY-LICENSES');
  writeFileSync(licences, licenceReport(packages, nodeLicence));
  const assets = { 'kubectl-csi.cjs': program, LICENSE: licence, 'THIRD-PARTY-LICENSES': licences };
  for (const [arch, path] of Object.entries(agents)) assets[`agent-linux-${arch}`] = path;
  return { packages, program, assets };
}
