import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { agentArgs } from '../../src/protocol/protocol.gen.ts';
import { startKubelet } from './actors.ts';
import { binaries } from './binaries.ts';
import { describeAgents, recordOf, runAgent } from './sandbox.ts';

describeAgents('agent journal', (agent, sandbox) => {
  const append = (run: string, line: string) =>
    runAgent(sandbox(), agent(), agentArgs.journalAppend({ run, line }));
  const read = async (run?: string) => {
    const { records } = await runAgent(sandbox(), agent(), agentArgs.journalRead({ run }));
    return records.flatMap((record) => (record.kind === 'journal' ? [record] : []));
  };

  it('keeps lines by run, until they are cleared', async () => {
    const odd = JSON.stringify({ text: 'ü"\n%20\u{1f480}' });
    await append('run-a', '{"n":1}');
    await append('run-a', odd);
    await append('run-b', '{}');
    assert.deepEqual(
      (await read('run-a')).map(({ line, complete }) => [line, complete]),
      [
        ['{"n":1}', true],
        [odd, true],
      ],
    );
    await runAgent(sandbox(), agent(), agentArgs.journalClear({ run: 'run-a' }));
    assert.deepEqual(
      (await read()).map(({ run }) => run),
      ['run-b'],
    );
  });

  it('is for root alone', async () => {
    await append('run-a', '{}');
    const { stdout } = await sandbox().run([
      'stat',
      '-c',
      '%a %u',
      '/run/kubectl-csi',
      '/run/kubectl-csi/run-a.jsonl',
    ]);
    assert.equal(stdout, '700 0\n600 0\n');
  });

  it('tells a line that was cut off', async () => {
    await append('run-a', '{}');
    await sandbox().run(['sh', '-c', 'printf \'{"n":\' >> /run/kubectl-csi/run-a.jsonl']);
    assert.deepEqual(
      (await read()).map(({ complete }) => complete),
      [true, false],
    );
  });

  it('refuses what is no object, a full journal, and a folder of others', async () => {
    assert.equal((await append('run-a', '[1]')).code, 2);
    assert.equal((await append('run-a', '{"a":\n1}')).code, 2);
    await append('run-a', '{}');
    await sandbox().run(['truncate', '-s', '2M', '/run/kubectl-csi/run-a.jsonl']);
    assert.equal((await append('run-a', '{}')).error?.code, 'too-large');
    await sandbox().run(['chmod', '777', '/run/kubectl-csi']);
    assert.equal((await append('run-b', '{}')).error?.code, 'not-ours');
  });

  it('follows no symbolic link', async () => {
    await sandbox().run(['ln', '-s', sandbox().folder, '/run/kubectl-csi']);
    assert.equal((await append('run-a', '{}')).code, 1);
    assert.ok(!(await readdir(sandbox().folder)).includes('run-a.jsonl'));
  });

  it('is empty where nothing was written', async () => {
    assert.deepEqual(await read(), []);
  });
});

describeAgents('agent cover', (agent, sandbox) => {
  const cover = (more = {}) =>
    runAgent(sandbox(), agent(), agentArgs.cover({ at: 1, root: sandbox().root, ...more }));
  const fsType = async () =>
    (await sandbox().run(['stat', '-f', '-c', '%T', sandbox().registry])).stdout.trim();

  it('puts a tmpfs on plugins_registry once, and takes it off again', async () => {
    const before = await fsType();
    const { covered, layers } = recordOf(await cover(), 'covered');
    assert.deepEqual([covered, layers, await fsType()], [true, 1, 'tmpfs']);
    assert.equal((await cover()).error?.code, 'already');
    const mode = await sandbox().run(['stat', '-c', '%a', sandbox().registry]);
    assert.equal(mode.stdout, '750\n');
    assert.equal(recordOf(await cover({ undo: true }), 'covered').layers, 0);
    assert.equal(await fsType(), before);
  });

  it('takes off no mount of others, also when ours is below it', async () => {
    assert.equal((await cover({ undo: true })).error?.code, 'not-ours');
    await cover();
    await sandbox().run(['mount', '-t', 'tmpfs', 'other', sandbox().registry]);
    assert.equal((await cover({ undo: true })).error?.code, 'not-ours');
    assert.equal(await fsType(), 'tmpfs');
  });

  it('acts in kubelet’s own mount namespace', async () => {
    const { kubelet } = await binaries();
    const command = ['unshare', '--mount', kubelet, `--root-dir=${sandbox().root}`];
    const { pid } = await sandbox().start(command, 'watching');
    const before = await fsType();
    assert.equal(recordOf(await cover({ at: await pid() }), 'covered').covered, true);
    assert.equal(await fsType(), before);
  });
});

describeAgents('agent unit-file', (agent, sandbox) => {
  const name = 'var-lib-kubelet-plugins_registry.mount';
  const content = '# Managed by kubectl-csi\n[Mount]\nWhere=/var/lib/kubelet/plugins_registry\n';
  const write = (given: { name: string; content?: string; remove?: boolean }) =>
    runAgent(sandbox(), agent(), agentArgs.unitFile(given));
  const file = `/etc/systemd/system/${name}`;

  it('writes, keeps and removes a unit', async () => {
    assert.equal(recordOf(await write({ name, content }), 'unit').changed, true);
    assert.equal((await sandbox().run(['cat', file])).stdout, content);
    assert.equal(recordOf(await write({ name, content }), 'unit').changed, false);
    assert.equal(recordOf(await write({ name, remove: true }), 'unit').changed, true);
    assert.equal(recordOf(await write({ name, remove: true }), 'unit').changed, false);
    assert.equal(
      (await sandbox().run(['ls', '-A', '/etc/systemd/system'])).stdout.includes('plugins'),
      false,
    );
  });

  it('touches no file of others and no other unit', async () => {
    await sandbox().run(['sh', '-c', `echo '[Mount]' > ${file}`]);
    assert.equal((await write({ name, content })).error?.code, 'not-ours');
    assert.equal((await write({ name, remove: true })).error?.code, 'not-ours');
    assert.equal((await write({ name: 'kubelet.service', content })).code, 2);
    assert.equal((await write({ name, content: '[Mount]\n' })).code, 2);
    assert.equal((await write({ name })).code, 2);
  });
});

describeAgents('agent listen', (agent, sandbox) => {
  const listen = (more = {}) =>
    runAgent(sandbox(), agent(), agentArgs.listen({ at: 1, root: sandbox().root, ...more }));

  it('counts the events of a directory that delivers them, and leaves nothing', async () => {
    const kubelet = await startKubelet(sandbox());
    const { sent, delivered, overflowed } = recordOf(await listen({ rounds: 32 }), 'delivery');
    assert.deepEqual([sent, delivered, overflowed], [128, 128, false]);
    assert.deepEqual(await readdir(sandbox().registry), []);
    assert.deepEqual(kubelet.lines, ['watching']);
  });

  it('takes away what an interrupted run left', async () => {
    await sandbox().run(['touch', `${sandbox().registry}/.kubectl-csi-listen`]);
    assert.equal((await listen()).code, 0);
    assert.deepEqual(await readdir(sandbox().registry), []);
  });

  it('is hung on a file system that is', async () => {
    const { hungMount } = await binaries();
    await sandbox().start([hungMount, sandbox().registry]);
    assert.equal((await listen()).error?.code, 'hung');
  });
});

describeAgents('agent hold', (agent, sandbox) => {
  it('ends well at SIGTERM and at the end of its time', async () => {
    const held = await sandbox().start([agent(), ...agentArgs.hold({ seconds: 60 })], null);
    await held.match(/"kind":"hello"/);
    await sandbox().run(['kill', '-TERM', String(await held.pid())]);
    const code = await held.closed;
    assert.equal(code, 0);
    assert.match(held.lines.at(-1) ?? '', /"kind":"end","ok":true/);
    const answer = await runAgent(sandbox(), agent(), agentArgs.hold({ seconds: 1 }));
    assert.equal(answer.code, 0);
  });
});
