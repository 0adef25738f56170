// Builds Krew and its manifest validator into the cache folder. Starts on Node 20 and has no dependencies.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureModule } from './go-binaries.mjs';

const module = fileURLToPath(new URL('../../krew/krew-tools', import.meta.url));

/**
 * @param {{ log: (line: string) => void }} options
 * @returns {Promise<{ krew: string, validate: string }>} paths of the programs
 * @throws when Go is missing or the build fails
 */
export async function ensureKrew({ log }) {
  const folder = await ensureModule(module, log);
  return { krew: join(folder, 'krew'), validate: join(folder, 'validate-krew-manifest') };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(JSON.stringify(await ensureKrew({ log: console.error }), null, 2));
