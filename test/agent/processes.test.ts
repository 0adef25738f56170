import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentArgs, decodeRecord, type ProcessRecord } from '../../src/protocol/protocol.gen.ts';
import { startKubelet } from './actors.ts';
import { binaries } from './binaries.ts';
import { describeAgents, recordOf, runAgent, type Sandbox } from './sandbox.ts';

/** A kubelet under a supervisor that starts it again after a pause. */
async function superviseKubelet(sandbox: Sandbox): Promise<void> {
  const { kubelet } = await binaries();
  const loop = `exec 2>&-; while :; do ${kubelet} --root-dir=${sandbox.root}; sleep 0.3; done`;
  await sandbox.start(['sh', '-c', loop], 'watching');
}

/** Puts another systemctl, or none, into the sandbox's /usr/bin. */
async function installSystemctl(sandbox: Sandbox, script: string | null): Promise<void> {
  const layer = join(sandbox.folder, 'bin');
  const setup = [
    `mkdir ${layer} ${layer}/upper ${layer}/work`,
    `mount -t overlay -o lowerdir=/usr/bin,upperdir=${layer}/upper,workdir=${layer}/work bin /usr/bin`,
    script === null ? 'rm -f /usr/bin/systemctl' : 'cat > /usr/bin/systemctl; chmod 755 /usr/bin/systemctl',
  ];
  const { code, stderr } = await sandbox.run(['sh', '-ec', setup.join('\n')], { input: script ?? '' });
  assert.equal(code, 0, stderr);
}

describeAgents('agent end-process', (agent, sandbox) => {
  const find = async () => recordOf(await runAgent(sandbox(), agent(), ['observe']), 'process');
  const end = ({ pid, startTicks }: Pick<ProcessRecord, 'pid' | 'startTicks'>, more = {}) =>
    runAgent(sandbox(), agent(), agentArgs.endProcess({ pid, startTicks, ...more }));

  it('ends a process and says so', async () => {
    await startKubelet(sandbox());
    const answer = await end(await find());
    assert.equal(recordOf(answer, 'signalled').ended, true);
    assert.equal(answer.code, 0);
  });

  it('says when the process did not end in time', async () => {
    const stubborn = await sandbox().start([
      'sh',
      '-c',
      "trap '' TERM; echo ready; while :; do sleep 1; done",
    ]);
    const stat = await sandbox().run(['cut', '-d ', '-f22', `/proc/${await stubborn.pid()}/stat`]);
    const process = { pid: await stubborn.pid(), startTicks: stat.stdout.trim() };
    assert.equal(recordOf(await end(process, { wait: 200 }), 'signalled').ended, false);
    assert.equal(recordOf(await end(process, { signal: 'KILL' }), 'signalled').ended, true);
  });

  it('never touches another process that got the id, nor process 1', async () => {
    const kubelet = await startKubelet(sandbox());
    const process = await find();
    const other = await end({ pid: process.pid, startTicks: '1' });
    assert.equal(other.error?.code, 'no-process');
    assert.equal((await end({ pid: 1, startTicks: '1' })).code, 2);
    assert.equal(kubelet.child.exitCode, null);
  });
});

describeAgents('agent restart-kubelet', (agent, sandbox) => {
  const find = async () => recordOf(await runAgent(sandbox(), agent(), ['observe']), 'process');
  const command = ({ pid, startTicks }: ProcessRecord, more = {}) =>
    agentArgs.restartKubelet({ pid, startTicks, run: 'test-run', wait: 8000, ...more });
  const journal = async () => {
    const { records } = await runAgent(sandbox(), agent(), agentArgs.journalRead());
    return records.flatMap((record) => (record.kind === 'journal' ? [decodeRecord(record.line)] : []));
  };

  it('ends kubelet and waits for the one its supervisor starts', async () => {
    await superviseKubelet(sandbox());
    const old = await find();
    const restarted = recordOf(await runAgent(sandbox(), agent(), command(old)), 'restarted');
    const now = await find();
    assert.equal(restarted.oldPid, old.pid);
    assert.deepEqual([restarted.pid, restarted.startTicks], [now.pid, now.startTicks]);
    assert.deepEqual(await journal(), [restarted]);
  });

  it('goes on when the caller is killed, and writes how it ended to the journal', async () => {
    await superviseKubelet(sandbox());
    const old = await find();
    const caller = await sandbox().start([agent(), ...command(old)], null);
    while ((await sandbox().run(['test', '-d', `/proc/${old.pid}`])).code === 0) await sleep(20);
    await sandbox().run(['kill', '-KILL', String(await caller.pid())]);
    await caller.closed;
    const deadline = Date.now() + 5000;
    while ((await journal()).length === 0 && Date.now() < deadline) await sleep(50);
    const [record] = await journal();
    assert.equal(record?.kind === 'restarted' && record.pid, (await find()).pid);
  });

  it('says when no new kubelet comes up, in the journal too', async () => {
    await startKubelet(sandbox());
    const answer = await runAgent(sandbox(), agent(), command(await find(), { wait: 300 }));
    assert.equal(answer.error?.code, 'hung');
    const [record] = await journal();
    assert.equal(record?.kind === 'error' && record.code, 'hung');
  });

  it('restarts the unit where kubelet has one', async () => {
    await superviseKubelet(sandbox());
    const old = await find();
    await installSystemctl(sandbox(), `#!/bin/sh\necho "$@" > /run/asked\nkill ${old.pid}\n`);
    const answer = await runAgent(sandbox(), agent(), command(old, { unit: 'kubelet.service' }));
    assert.equal(recordOf(answer, 'restarted').oldPid, old.pid);
    const asked = await sandbox().run(['cat', '/run/asked']);
    assert.equal(asked.stdout, '--no-ask-password restart -- kubelet.service\n');
  });

  it('says why the unit could not be restarted', async () => {
    await startKubelet(sandbox());
    await installSystemctl(sandbox(), '#!/bin/sh\necho "Unit kubelet.service not found." >&2\nexit 5\n');
    const answer = await runAgent(sandbox(), agent(), command(await find(), { unit: 'kubelet.service' }));
    assert.match(String(answer.error?.what), /Unit kubelet.service not found/);
  });
});

describeAgents('agent systemctl', (agent, sandbox) => {
  const ask = (given: Parameters<typeof agentArgs.systemctl>[0]) =>
    runAgent(sandbox(), agent(), agentArgs.systemctl(given));

  it('passes arguments, output and exit code on, with a clean environment', async () => {
    await installSystemctl(sandbox(), '#!/bin/sh\necho "$@"; env | grep -c SECRET; echo more >&2; exit 3\n');
    const args = agentArgs.systemctl({
      verb: 'show',
      unit: 'kubelet.service',
      property: ['ActiveState', 'MainPID'],
    });
    const answer = await runAgent(sandbox(), agent(), args, { env: { SECRET: 'x' } });
    assert.deepEqual(recordOf(answer, 'systemctl'), {
      kind: 'systemctl',
      exitCode: 3,
      output:
        '--no-ask-password --property=ActiveState --property=MainPID show -- kubelet.service\n0\nmore\n',
      truncated: false,
      detached: false,
    });
  });

  it('writes to the journal what a detached one answered', async () => {
    await installSystemctl(sandbox(), '#!/bin/sh\nsleep 0.2; echo done\n');
    const answer = await ask({ verb: 'daemon-reload', detach: true, run: 'test-run' });
    assert.equal(recordOf(answer, 'systemctl').exitCode, null);
    await sleep(1000);
    const line = recordOf(await runAgent(sandbox(), agent(), agentArgs.journalRead()), 'journal');
    const record = decodeRecord(line.line);
    assert.deepEqual(record.kind === 'systemctl' && [record.exitCode, record.output], [0, 'done\n']);
  });

  it('cuts endless output off', async () => {
    await installSystemctl(sandbox(), '#!/bin/sh\nhead -c 400000 /dev/zero | tr "\\0" x\n');
    const { output, truncated } = recordOf(await ask({ verb: 'is-active', unit: 'a.service' }), 'systemctl');
    assert.deepEqual([output.length, truncated], [1 << 18, true]);
  });

  it('says when the host has none', async () => {
    await installSystemctl(sandbox(), null);
    assert.equal((await ask({ verb: 'is-active', unit: 'a.service' })).error?.code, 'unsupported');
  });

  it('shows no environment', async () => {
    const bare = await ask({ verb: 'show', unit: 'a.service' });
    const asked = await ask({ verb: 'show', unit: 'a.service', property: ['EnvironmentFiles'] });
    assert.deepEqual([bare.code, asked.code], [2, 2]);
  });
});
