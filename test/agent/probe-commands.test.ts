import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { portableCommand, probeCommand, type Tools } from '../../src/workload/probe/command.ts';
import { binaries } from './binaries.ts';
import { VolumeNode } from './node.ts';
import { type Background, goArch, openSandbox, type Sandbox } from './sandbox.ts';

/** Seconds that the commands allow. */
const limit = 2;
const all: Tools = { shell: true, gnuTimeout: false, sleep: true, stat: true, df: true, fetch: undefined };

/** busybox prefers its own `timeout`, which is why it is never taken for GNU's. */
const shellsFor = (what: string) =>
  Object.entries(shells).filter(([shell]) => what !== 'GNU timeout' || shell !== 'busybox');

type Make = (paths: readonly string[]) => readonly string[];

const makers: Readonly<Record<string, Make>> = {
  'GNU timeout': (paths) => probeCommand(paths, { ...all, gnuTimeout: true }, limit),
  stat: (paths) => probeCommand(paths, all, limit),
  df: (paths) => probeCommand(paths, { ...all, stat: false }, limit),
  'open alone': (paths) => probeCommand(paths, { ...all, stat: false, df: false }, limit),
  portable: (paths) => portableCommand(paths, limit),
};

/** Shells that images have; busybox takes its own stat, df and sleep. */
const shells: Readonly<Record<string, readonly string[]>> = {
  dash: ['dash'],
  bash: ['bash'],
  busybox: ['busybox', 'sh'],
};

/** What `inject-probe` writes into pods, on FUSE mounts that live, are dead, and hang in both ways. */
describe('the commands of liveness probes', function () {
  this.timeout(60_000);
  let sandbox: Sandbox;
  let node: VolumeNode;
  let daemon: Background;

  before(async function () {
    this.timeout(600_000);
    await binaries();
  });
  beforeEach(async () => {
    const { shipped } = await binaries();
    sandbox = await openSandbox();
    node = await VolumeNode.open(sandbox, String(shipped[goArch()]));
    daemon = await node.publish();
    await node.must('mkdir -p "$0/sub" && echo one > "$0/f"', node.target);
  });
  afterEach(() => sandbox.close());

  /** Every command in every shell, side by side. */
  async function everywhere(...paths: readonly string[]) {
    const runs = Object.entries(makers).flatMap(([what, make]) =>
      shellsFor(what).map(async ([shell, words]) => {
        const begin = Date.now();
        const { code, stdout } = await sandbox.run([...words, ...make(paths).slice(1)]);
        return { name: `${what} in ${shell}`, code, stdout, took: Date.now() - begin };
      }),
    );
    return Promise.all(runs);
  }

  async function allFail(paths: readonly string[], longestMs: number) {
    for (const { name, code, stdout, took } of await everywhere(...paths)) {
      assert.notEqual(code, 0, name);
      assert.notEqual(code, null, `${name} did not end`);
      assert.match(stdout, /^(dead|no answer)/, name);
      assert.ok(took < longestMs, `${name}: ${took} ms`);
    }
  }

  it('are content with directories and files that answer', async () => {
    for (const { name, code, stdout } of await everywhere(node.target, `${node.target}/f`))
      assert.equal(code, 0, `${name}: ${stdout}`);
  });

  it('fail at once on a dead mount, whichever of several it is', async () => {
    await node.kill(daemon);
    await allFail([node.path(), node.target], 8_000);
  });

  it('fail in time when the server is stopped', async () => {
    await node.must('kill -STOP "$0"', String(await daemon.pid()));
    try {
      await allFail([node.target], limit * 1000 + 8_000);
    } finally {
      await node.must('kill -CONT "$0"', String(await daemon.pid()));
      daemon.child.kill('SIGCONT');
    }
  });

  it('fail in time when the server took the request, and leave nobody who holds their output', async () => {
    const { hungMount } = await binaries();
    const hung = node.path('hung');
    await mkdir(hung);
    await sandbox.start([hungMount, hung]);
    await allFail([hung], limit * 1000 + 8_000);
  });

  it('leave no process behind while all is well', async () => {
    await everywhere(node.target);
    const words = await node.must('cat /proc/[0-9]*/cmdline | tr "\\0" "\\n"');
    assert.doesNotMatch(words, /^(sleep|stat|df|timeout)$/m);
    const states = await node.must('sed "s/.*) //" /proc/[0-9]*/stat | cut -d" " -f1');
    assert.doesNotMatch(states, /Z/);
  });
});
