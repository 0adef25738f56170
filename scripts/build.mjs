// Leaves dist/kubectl-csi, which runs on this machine: the bundle, the node agents and a launcher with the project's own Node.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAgents } from './build-agent.mjs';
import { generateIndexes } from './generate-index.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const launcher = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/../node_modules/.bin/node" --disable-warning=ExperimentalWarning "$here/kubectl-csi.cjs" "$@"
`;

export async function build({ log }) {
  generateIndexes({ write: true });
  await buildAgents({ log });
  mkdirSync(at('dist'), { recursive: true });
  const { bundle } = await import('./bundle.mjs');
  await bundle(at('dist/kubectl-csi.cjs'));
  writeFileSync(at('dist/kubectl-csi'), launcher);
  chmodSync(at('dist/kubectl-csi'), 0o755);
  log('dist/kubectl-csi is built');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ log: (line) => console.error(line) });
