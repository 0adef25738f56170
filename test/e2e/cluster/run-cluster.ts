import { once } from 'node:events';
import { startCluster } from '../../cluster/index.ts';

/** A run of its own, to be ended by a signal: says how far it is, at last `ready`, and waits. */
const ended = new AbortController();
process.once('SIGTERM', () => ended.abort());
// A test that is killed closes its end: the run must not outlive it.
process.stdin.once('end', () => ended.abort()).resume();
const cluster = await startCluster({ nodes: 1 }, (line) => process.stdout.write(`${line}\n`), ended.signal);
process.stdout.write('ready\n');
const alive = setInterval(() => {}, 60_000);
if (!ended.signal.aborted) await once(ended.signal, 'abort');
clearInterval(alive);
await cluster.stop();
process.stdin.destroy();
