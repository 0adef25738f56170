// node --random-seed=1 code-cache.cjs PROGRAM OUTPUT CAPTURE: compiles the program, runs it a few times so that V8
// compiles what a start needs, and writes V8's code cache. To be run by the Node that the cache is for.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { Script } = require('node:vm');

const [, , program, output, capture] = process.argv;
const script = new Script(readFileSync(program, 'latin1'), { filename: 'kubectl-csi.cjs' });
const start = script.runInThisContext();
const { exit } = process;
const write = { stdout: process.stdout.write, stderr: process.stderr.write };

function swallow(...args) {
  const written = args.at(-1);
  if (typeof written === 'function') setImmediate(written);
  return true;
}

/** One start of the program with its output swallowed, to its call of process.exit. */
function warmUp(...args) {
  process.argv = [process.execPath, process.execPath, ...args];
  process.stdout.write = swallow;
  process.stderr.write = swallow;
  return new Promise((resolve) => {
    process.exit = resolve;
    const module = { exports: {} };
    start(require, module, module.exports, process.execPath, __dirname);
  }).finally(() => {
    process.exit = exit;
    Object.assign(process.stdout, { write: write.stdout });
    Object.assign(process.stderr, { write: write.stderr });
  });
}

/** An API server with nothing in it. */
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const answer = pathname === '/version' ? { gitVersion: 'v1.34.0' } : { metadata: {}, items: [] };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});

server.listen(0, '127.0.0.1', async () => {
  const cluster = ['--server', `http://127.0.0.1:${server.address().port}`, '--token', 'none'];
  await warmUp('--version');
  await warmUp('--help');
  await warmUp('version', ...cluster);
  await warmUp('status', ...cluster);
  await warmUp('status', '--from', capture);
  writeFileSync(output, script.createCachedData());
  exit(0);
});
