import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import { readClaims } from '../../cluster/host/claim.ts';
import { networkOf } from '../../cluster/host/network.ts';
import { deployDriver, startCluster, waitFor, waitUntil } from '../../cluster/index.ts';
import { assertUnchanged, machine } from './machine.ts';

const program = fileURLToPath(new URL('run-cluster.ts', import.meta.url));

describe('what a cluster leaves behind', function () {
  this.timeout(180_000);

  it('is nothing after stop', async () => {
    const before = machine();
    const cluster = await startCluster({ nodes: 2, systemdNode: 1 }, console.error);
    const driver = await deployDriver(cluster, { name: 'bind.csi.test' });
    await driver.waitRegistered();
    assert.notDeepEqual(machine(), before);
    await cluster.stop();
    await assertUnchanged(before);
  });

  it('is nothing after SIGTERM', async () => {
    const before = machine();
    const run = await startRun();
    run.kill('SIGTERM');
    await once(run, 'exit');
    await assertUnchanged(before);
  });

  it('is nothing after a SIGKILL of a run that is ready, and the next start', () =>
    leavesNothing(() => startRun()));

  it('is nothing after a SIGKILL of a run that is starting, and the next start', () =>
    leavesNothing(async () => {
      const run = await startRun('starting Kubernetes');
      await waitUntil('its bridge', async () =>
        readdirSync('/sys/class/net').some((link) => isOf(run, link)),
      );
      return run;
    }));
});

const isOf = (run: ChildProcess, link: string) =>
  readClaims().some(({ slot, owner }) => owner?.pid === run.pid && link === networkOf(slot).bridge);

async function leavesNothing(start: () => Promise<ChildProcess>): Promise<void> {
  const before = machine();
  const run = await start();
  run.kill('SIGKILL');
  await once(run, 'exit');
  assert.notDeepEqual(machine(), before);
  const next = await startCluster({ nodes: 1 }, console.error);
  await next.stop();
  await assertUnchanged(before);
}

/** Starts a cluster in a process of its own; returns when that has printed `line`. */
async function startRun(line = 'ready'): Promise<ChildProcess> {
  const run = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  run.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await waitFor(`the run to print '${line}'`, async () => {
    if (run.exitCode !== null) return { failed: `it ended with ${run.exitCode}` };
    return printed.includes(line) ? { done: run } : { seen: printed };
  });
  return run;
}
