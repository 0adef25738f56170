import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type AgentRecord, agentArgs, decodeAnswer, toBuffer } from '../../src/protocol/protocol.gen.ts';
import { leaveSocket, startKubelet, startListener } from './actors.ts';
import { binaries } from './binaries.ts';
import { byteText, describeAgents, goArch, openSandbox, recordOf, runAgent } from './sandbox.ts';

const named = (records: readonly AgentRecord[]) =>
  new Map(records.flatMap((record) => (record.kind === 'entry' ? [[record.name, record]] : [])));

describeAgents('agent observe', (agent, sandbox) => {
  const observe = (roots: readonly string[] = []) =>
    runAgent(sandbox(), agent(), agentArgs.observe({ root: roots }));

  it('finds kubelet, its root and its watch on plugins_registry', async () => {
    const kubelet = await startKubelet(sandbox());
    const answer = await observe();
    const found = await stat(sandbox().registry, { bigint: true });
    const process = recordOf(answer, 'process');
    const root = recordOf(answer, 'root');
    const watch = recordOf(answer, 'watch');
    assert.equal(answer.code, 0);
    assert.equal(process.pid, await kubelet.pid());
    assert.equal(process.argv[1], `--root-dir=${sandbox().root}`);
    assert.equal(process.mountNamespace, process.hostMountNamespace);
    assert.ok(Math.abs(process.startedAt - Date.now() / 1000) < 60);
    assert.equal(root.origin, 'flag');
    assert.equal(root.kubelet, await kubelet.pid());
    assert.equal(root.registry.state, 'present');
    assert.equal(root.registry.mode, Number(found.mode) & 0o7777);
    assert.equal(root.registry.born, Number(found.birthtimeMs / 1000n));
    assert.equal(root.registry.layers, 0);
    assert.equal(watch.inode, root.registry.inode);
    assert.equal(watch.inode, String(found.ino));
    assert.equal(watch.device, root.registry.mount?.device);
    assert.deepEqual(recordOf(answer, 'watches'), {
      kind: 'watches',
      pid: await kubelet.pid(),
      readable: true,
      instances: 1,
      watches: 1,
      truncated: false,
    });
    assert.ok(recordOf(answer, 'usage').watches >= 1);
  });

  it('shows that a mount over plugins_registry orphans the watch', async () => {
    await startKubelet(sandbox());
    await sandbox().run(['mount', '-t', 'tmpfs', 'cover', sandbox().registry]);
    const answer = await observe();
    const { registry } = recordOf(answer, 'root');
    assert.equal(registry.layers, 1);
    assert.equal(registry.mount?.fsType, 'tmpfs');
    assert.equal(registry.mount?.mountPoint, sandbox().registry);
    assert.notEqual(recordOf(answer, 'watch').device, registry.mount?.device);
  });

  it('judges each entry by what it is and each socket by connecting', async () => {
    const { registry } = sandbox();
    const live = await startListener(sandbox(), 'live-reg.sock');
    await leaveSocket(sandbox(), 'stale-reg.sock');
    await mkdir(join(registry, 'sub', 'deep'), { recursive: true });
    await startListener(sandbox(), 'sub/deep/nested.sock');
    await writeFile(join(registry, 'plain'), '');
    await symlink('/etc/passwd', join(registry, 'link'));
    await startListener(sandbox(), '.hidden.sock');
    const answer = await observe([sandbox().root]);
    const entries = named(answer.records);
    const brief = [...entries.values()].map(({ name, type, connection }) => [name, type, connection]);
    assert.deepEqual(brief.sort(), [
      ['.hidden.sock', 'socket', 'accepted'],
      ['link', 'symlink', null],
      ['live-reg.sock', 'socket', 'accepted'],
      ['plain', 'file', null],
      ['stale-reg.sock', 'socket', 'refused'],
      ['sub', 'directory', null],
      ['sub/deep', 'directory', null],
      ['sub/deep/nested.sock', 'socket', 'accepted'],
    ]);
    const peer = entries.get('live-reg.sock')?.peer;
    assert.equal(peer?.pid, await live.pid());
    assert.equal(peer?.comm, 'listener');
    assert.ok((peer?.cgroup.length ?? 0) > 0);
    assert.equal(entries.get('stale-reg.sock')?.connectErrno, 'ECONNREFUSED');
    assert.equal(entries.get('.hidden.sock')?.hidden, true);
    assert.equal(recordOf(answer, 'entries').count, entries.size);
  });

  it('calls a socket hung when nobody accepts in time', async () => {
    await startListener(sandbox(), 'mute.sock', 'mute');
    const first = connect(join(sandbox().registry, 'mute.sock'));
    await once(first, 'connect');
    const answer = await observe([sandbox().root]);
    first.destroy();
    assert.equal(named(answer.records).get('mute.sock')?.connection, 'hung');
    assert.equal(answer.code, 0);
  });

  it('keeps bytes that are no UTF-8', async () => {
    const name = `odd ${byteText(0xff, 0xc3)}"\\\n\t.txt`;
    await writeFile(Buffer.concat([Buffer.from(`${sandbox().registry}/`), toBuffer(name)]), '');
    const answer = await observe([sandbox().root]);
    assert.deepEqual([...named(answer.records).keys()], [name]);
  });

  it('counts what it leaves out', async () => {
    for (let i = 0; i < 1100; i++) await writeFile(join(sandbox().registry, `.file-${i}`), '');
    const answer = await observe([sandbox().root]);
    const { count, truncated } = recordOf(answer, 'entries');
    assert.equal(count, 1024);
    assert.equal(truncated, true);
  });

  it('tells an absent root, a root that is a file, and a root behind a symbolic link', async () => {
    const { folder, root } = sandbox();
    await writeFile(join(folder, 'file'), '');
    await symlink(root, join(folder, 'link'));
    const roots = [join(folder, 'absent'), join(folder, 'file'), join(folder, 'link')];
    const answer = await observe(roots);
    const states = answer.records.flatMap((record) =>
      record.kind === 'root'
        ? [[record.directory.state, record.registry.state, record.registry.realPath]]
        : [],
    );
    assert.deepEqual(states, [
      ['absent', 'absent', null],
      ['not-directory', 'unreadable', null],
      ['present', 'present', sandbox().registry],
    ]);
  });

  it('answers in time when the file system of plugins_registry hangs', async () => {
    const { hungMount } = await binaries();
    await sandbox().start([hungMount, sandbox().registry]);
    const started = Date.now();
    const answer = await observe([sandbox().root]);
    const root = recordOf(answer, 'root');
    assert.equal(root.directory.state, 'present');
    assert.equal(root.registry.state, 'hung');
    assert.equal(answer.code, 0);
    assert.ok(Date.now() - started < 6000);
  });

  it('sees kubelet’s mount namespace when it is another than process 1’s', async () => {
    const { kubelet } = await binaries();
    const { root } = sandbox();
    const script = `mount -t tmpfs own ${root} && mkdir ${root}/plugins_registry && exec ${kubelet} --root-dir=${root}`;
    await sandbox().start(['unshare', '--mount', 'sh', '-ec', script], 'watching');
    const answer = await observe();
    const process = recordOf(answer, 'process');
    const { directory } = recordOf(answer, 'root');
    assert.notEqual(process.mountNamespace, process.hostMountNamespace);
    assert.equal(directory.mount?.source, 'own');
    assert.equal(directory.layers, 1);
  });

  it('needs no capability but CAP_SYS_PTRACE', async () => {
    await startKubelet(sandbox());
    await startListener(sandbox(), 'live-reg.sock');
    const { code, stdout } = await sandbox().run([...withCapabilities('sys_ptrace'), agent(), 'observe']);
    const { records } = decodeAnswer(stdout);
    assert.equal(code, 0);
    assert.equal(named(records).get('live-reg.sock')?.connection, 'accepted');
    assert.ok(records.some(({ kind }) => kind === 'watch'));
  });

  it('says what it could not see without that capability', async () => {
    await startKubelet(sandbox());
    const { code, stdout } = await sandbox().run([...withCapabilities(), agent(), 'observe']);
    const answer = { code, error: undefined, ...decodeAnswer(stdout) };
    const { directory } = recordOf(answer, 'root');
    assert.deepEqual([directory.state, directory.errno], ['unreadable', 'EACCES']);
    assert.equal(recordOf(answer, 'watches').readable, false);
    assert.equal(recordOf(answer, 'host').osId, null);
  });
});

describe('agent observe in an image without files', function () {
  this.timeout(30_000);
  it('works', async () => {
    const { shipped } = await binaries();
    const sandbox = await openSandbox();
    try {
      const image = join(sandbox.folder, 'image');
      await mkdir(join(image, 'proc'), { recursive: true });
      await copyFile(String(shipped[goArch()]), join(image, 'agent'));
      await startKubelet(sandbox);
      const capabilities = withCapabilities('sys_ptrace', 'sys_chroot');
      const script = `mount --rbind /proc ${image}/proc && exec "$@"`;
      const command = [...capabilities, 'unshare', `--root=${image}`, '/agent', 'observe'];
      const { code, stdout } = await sandbox.run(['sh', '-ec', script, 'sh', ...command]);
      const { records } = decodeAnswer(stdout);
      assert.equal(code, 0);
      assert.ok(records.some((record) => record.kind === 'root' && record.registry.state === 'present'));
    } finally {
      await sandbox.close();
    }
  });
});

function withCapabilities(...names: readonly string[]): readonly string[] {
  const kept = ['-all', ...names.map((name) => `+${name}`)].join(',');
  return ['setpriv', '--no-new-privs', `--bounding-set=${kept}`, `--inh-caps=${kept}`];
}
