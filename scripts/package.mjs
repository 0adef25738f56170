// Makes executables and archives: node scripts/package.mjs [--target OS-ARCH]... [--output FOLDER].
// Runs on the Node of node_modules. The same commit gives the same bytes.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildTarget } from './package/build-target.mjs';
import { hostTarget } from './package/executable.mjs';
import { nodeBinary } from './package/node-binary.mjs';
import { buildParts } from './package/parts.mjs';
import { targetNamed, targets } from './package/targets.mjs';

const defaultFolder = fileURLToPath(new URL('../dist/release/', import.meta.url));

/**
 * @param {{ ids?: readonly string[], folder?: string, log: (line: string) => void }} options
 * @returns {Promise<{ folder: string, targets: object[], packages: string[] }>} what was made, and the npm packages inside
 */
export async function packageTargets({ ids = [], folder = defaultFolder, log }) {
  const wanted = ids.length > 0 ? ids.map(targetNamed) : targets;
  mkdirSync(folder, { recursive: true });
  const host = hostTarget();
  const nodes = {};
  for (const target of new Set([...wanted, host])) nodes[target.id] = await nodeBinary(target, log);
  const work = join(folder, '.parts');
  try {
    const licence = join(dirname(nodes[host.id].original), '../LICENSE');
    const parts = await buildParts(work, readFileSync(licence, 'utf8'), log);
    for (const target of wanted) await buildTarget(target, { folder, parts, nodes, log });
    return { folder, targets: wanted, packages: parts.packages };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const options = { target: { type: 'string', multiple: true }, output: { type: 'string' } };
    const { values } = parseArgs({ options });
    const folder = values.output && resolve(values.output);
    const made = await packageTargets({ ids: values.target, ...(folder && { folder }), log: console.error });
    for (const { archive } of made.targets) console.log(join(made.folder, archive));
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}
