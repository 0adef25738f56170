// Leaves dist/kubectl-csi, which runs on this machine: the bundle, the node agents and a launcher with the project's own Node.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAgents } from './build-agent.mjs';
import { generateIndexes } from './generate-index.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Sees to a string-width that builds no Intl.Segmenter and no emoji table at load: 25 to 50 ms of each start. */
const aliases = {};

const launcher = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/../node_modules/.bin/node" --disable-warning=ExperimentalWarning "$here/kubectl-csi.cjs" "$@"
`;

export async function build({ log }) {
  generateIndexes({ write: true });
  await buildAgents({ log });
  const { build: bundle } = await import('esbuild');
  mkdirSync(at('dist'), { recursive: true });
  await bundle({
    entryPoints: [at('src/main.ts')],
    outfile: at('dist/kubectl-csi.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    alias: aliases,
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'warning',
  });
  writeFileSync(at('dist/kubectl-csi'), launcher);
  chmodSync(at('dist/kubectl-csi'), 0o755);
  log('dist/kubectl-csi is built');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ log: (line) => console.error(line) });
