// Bundles src into one file of CommonJS, which Node starts faster than modules. Runs on the Node of node_modules.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const alias = { 'string-width': at('scripts/bundle/string-width.cjs') };

/**
 * @param {string} outfile
 * @returns {Promise<string[]>} names of the npm packages inside, in order
 * @throws when a source does not parse or an import leads nowhere
 */
export async function bundle(outfile) {
  const { metafile } = await build({
    entryPoints: [at('src/main.ts')],
    absWorkingDir: at('.'),
    outfile,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    // Inside one executable there is no loader for import(): it becomes require(), which Node's own modules answer.
    supported: { 'dynamic-import': false },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // Names of files stand in the bundle: those inside the checkout, wherever node_modules really lies.
    preserveSymlinks: true,
    alias,
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'warning',
  });
  return packagesIn(Object.keys(metafile.inputs));
}

function packagesIn(inputs) {
  const names = inputs.flatMap((input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  return [...new Set(names)].sort();
}
