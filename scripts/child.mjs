// Child processes that run on the Node of node_modules, wherever they were started from.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };

/**
 * Runs a command to its end. Ctrl-C reaches it through the terminal, SIGTERM is passed on.
 * @param {{ env?: object, cwd?: string, output?: (chunk: Buffer) => void }} options with `output` it is handed what the command prints
 * @returns {Promise<number>} its exit code
 */
export function run(command, args, options = {}) {
  const stdio = options.output ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(command, args, { cwd: options.cwd ?? root, stdio, env: { ...env, ...options.env } });
  for (const stream of options.output ? [child.stdout, child.stderr] : []) stream.on('data', options.output);
  const pass = (signal) => child.kill(signal);
  process.on('SIGTERM', pass);
  process.on('SIGINT', () => undefined);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGTERM', pass);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}
