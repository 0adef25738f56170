import assert from 'node:assert/strict';
import { mkdir, readdir, rename, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentArgs, toBuffer } from '../../src/protocol/protocol.gen.ts';
import { leaveSocket, startKubelet, startListener } from './actors.ts';
import { byteText, describeAgents, recordOf, runAgent } from './sandbox.ts';

const NAME = 'driver-reg.sock';

describeAgents('agent announce', (agent, sandbox) => {
  const announce = (name: string, options = {}) =>
    runAgent(sandbox(), agent(), agentArgs.announce({ at: 1, root: sandbox().root, name }), options);
  const path = (...names: readonly string[]) => join(sandbox().registry, ...names);

  it('makes kubelet see a socket again, without a gap', async () => {
    const kubelet = await startKubelet(sandbox());
    await startListener(sandbox(), NAME);
    await kubelet.line(`register ${NAME}`);
    const { ino } = await stat(path(NAME));
    const answer = await announce(NAME);
    await kubelet.line(`register ${NAME}`, 2);
    assert.equal(answer.code, 0);
    assert.equal(recordOf(answer, 'announced').inode, String(ino));
    assert.equal(recordOf(answer, 'announced').action, 'announced');
    assert.ok(!kubelet.lines.some((line) => line.startsWith('deregister')));
    assert.deepEqual(await readdir(sandbox().registry), [NAME]);
  });

  it('cures an event lost to a full queue', async function () {
    this.timeout(20_000);
    const kubelet = await startKubelet(sandbox());
    const stop = async (signal: string) => sandbox().run(['kill', `-${signal}`, String(await kubelet.pid())]);
    await stop('STOP');
    const flood =
      'import os,sys\nfor i in range(20000): os.close(os.open(sys.argv[1], os.O_CREAT)); os.unlink(sys.argv[1])';
    await sandbox().run(['python3', '-c', flood, path('.flood')]);
    await startListener(sandbox(), NAME);
    await stop('CONT');
    await kubelet.line('overflow');
    assert.ok(!kubelet.lines.includes(`register ${NAME}`));
    await announce(NAME);
    await kubelet.line(`register ${NAME}`);
  });

  it('takes a name in a sub-directory and a name that is no UTF-8', async () => {
    await mkdir(path('sub'));
    await startListener(sandbox(), 'sub/nested.sock');
    assert.equal(recordOf(await announce('sub/nested.sock'), 'announced').action, 'announced');
    const odd = `odd ${byteText(0xff)}%"\n.sock`;
    await leaveSocket(sandbox(), 'odd.sock');
    await rename(path('odd.sock'), Buffer.concat([Buffer.from(`${sandbox().registry}/`), toBuffer(odd)]));
    assert.equal(recordOf(await announce(odd), 'announced').path, path(odd));
  });

  it('works below a path longer than a socket address', async () => {
    const deep = 'd'.repeat(100);
    await mkdir(path(deep, deep), { recursive: true });
    await startListener(sandbox(), join(deep, deep, NAME));
    assert.equal((await announce(join(deep, deep, NAME))).code, 0);
  });

  for (const [what, prepare, code] of [
    ['a regular file', (file: string) => writeFile(file, ''), 'not-socket'],
    ['a directory', (file: string) => mkdir(file), 'not-socket'],
    ['a symbolic link to a socket', (file: string) => symlink('/run/elsewhere', file), 'symlink'],
    ['nothing', async () => undefined, 'not-found'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await prepare(path(NAME));
      const before = await readdir(sandbox().registry);
      const answer = await announce(NAME);
      assert.equal(answer.code, 1);
      assert.equal(answer.error?.code, code);
      assert.deepEqual(await readdir(sandbox().registry), before);
    });
  }

  it('refuses a symbolic link on the way to the name', async () => {
    await mkdir(join(sandbox().folder, 'elsewhere'));
    await symlink(join(sandbox().folder, 'elsewhere'), path('sub'));
    const answer = await announce(`sub/${NAME}`);
    assert.equal(answer.error?.code, 'symlink');
  });

  it('refuses a name that kubelet ignores', async () => {
    await leaveSocket(sandbox(), '.dot.sock');
    const answer = await announce('.dot.sock');
    assert.equal(answer.code, 2);
    assert.equal(answer.error?.code, 'usage');
  });

  it('never replaces a file that has the dot-name', async () => {
    await startListener(sandbox(), NAME);
    await writeFile(path(`.${NAME}`), 'precious');
    const answer = await announce(NAME);
    assert.equal(answer.error?.code, 'exists');
    assert.deepEqual((await readdir(sandbox().registry)).sort(), [`.${NAME}`, NAME].sort());
  });

  it('puts a lone dot-name back', async () => {
    const kubelet = await startKubelet(sandbox());
    await startListener(sandbox(), `.${NAME}`);
    const answer = await announce(NAME);
    assert.equal(recordOf(answer, 'announced').action, 'restored');
    await kubelet.line(`register ${NAME}`);
    assert.deepEqual(await readdir(sandbox().registry), [NAME]);
  });

  it('refuses a process that is another one now', async () => {
    await startListener(sandbox(), NAME);
    const args = agentArgs.announce({ at: 1, startTicks: '1', root: sandbox().root, name: NAME });
    const answer = await runAgent(sandbox(), agent(), args);
    assert.equal(answer.error?.code, 'no-process');
  });

  it('follows a symbolic link above plugins_registry, within the root of the process', async () => {
    await startListener(sandbox(), NAME);
    const link = join(sandbox().folder, 'link');
    await symlink(sandbox().root, link);
    const answer = await runAgent(sandbox(), agent(), agentArgs.announce({ at: 1, root: link, name: NAME }));
    assert.equal(answer.code, 0);
  });

  describe('in the hidden directory', () => {
    const hide = async (times = 1, directory = sandbox().registry) => {
      for (let i = 0; i < times; i++) await sandbox().run(['mount', '-t', 'tmpfs', `cover${i}`, directory]);
    };
    const watched = async () => recordOf(await runAgent(sandbox(), agent(), ['observe']), 'watch');
    const inHidden = (watch: { inode: string; device: string }) =>
      runAgent(
        sandbox(),
        agent(),
        agentArgs.announceHidden({
          at: 1,
          root: sandbox().root,
          name: NAME,
          inode: watch.inode,
          device: watch.device,
        }),
      );

    for (const layers of [1, 3]) {
      it(`reaches it beneath ${layers} mounts, and leaves nothing there`, async () => {
        const kubelet = await startKubelet(sandbox());
        const watch = await watched();
        await hide(layers);
        const mounts = await sandbox().run(['cat', '/proc/1/mountinfo']);
        await startListenerInside();
        assert.equal((await announce(NAME)).code, 0);
        assert.ok(!kubelet.lines.includes(`register ${NAME}`));
        const answer = await inHidden(watch);
        assert.equal(recordOf(answer, 'announced').layers, layers);
        await kubelet.line(`register ${NAME}`);
        assert.ok(!kubelet.lines.some((line) => line.startsWith('deregister')));
        assert.deepEqual(await readdir(sandbox().registry), []);
        assert.deepEqual(await sandbox().run(['cat', '/proc/1/mountinfo']), mounts);
      });
    }

    it('reaches the middle of a stack of mounts', async () => {
      await hide(1);
      const kubelet = await startKubelet(sandbox());
      const watch = await watched();
      await hide(1);
      await startListenerInside();
      assert.equal(recordOf(await inHidden(watch), 'announced').layers, 1);
      await kubelet.line(`register ${NAME}`);
    });

    it('reaches it beneath a mount over kubelet’s root', async () => {
      const kubelet = await startKubelet(sandbox());
      const watch = await watched();
      await hide(1, sandbox().root);
      await sandbox().run(['mkdir', sandbox().registry]);
      await startListenerInside();
      assert.equal(recordOf(await inHidden(watch), 'announced').layers, 1);
      await kubelet.line(`register ${NAME}`);
    });

    it('renames a socket of that name that is hidden there', async () => {
      await leaveSocket(sandbox(), NAME);
      const kubelet = await startKubelet(sandbox());
      const watch = await watched();
      await hide();
      await startListenerInside();
      assert.equal((await inHidden(watch)).code, 0);
      await kubelet.line(`register ${NAME}`, 2);
      assert.deepEqual(await readdir(sandbox().registry), [NAME]);
    });

    it('refuses another inode than the watch has', async () => {
      await startKubelet(sandbox());
      const watch = await watched();
      await hide();
      await startListenerInside();
      const answer = await inHidden({ ...watch, inode: '12345' });
      assert.equal(answer.error?.code, 'no-layer');
    });

    it('refuses when nobody listens on the visible socket', async () => {
      await startKubelet(sandbox());
      const watch = await watched();
      await hide();
      await leaveSocket(sandbox(), NAME);
      assert.equal((await inHidden(watch)).error?.errno, 'ECONNREFUSED');
    });

    async function startListenerInside() {
      await startListener(sandbox(), NAME);
    }
  });
});

describeAgents('agent retire and restore', (agent, sandbox) => {
  const where = () => ({ at: 1, root: sandbox().root });
  const retire = (name: string) => runAgent(sandbox(), agent(), agentArgs.retire({ ...where(), name }));
  const restore = (name: string) => runAgent(sandbox(), agent(), agentArgs.restore({ ...where(), name }));

  it('puts a stale socket aside under a dot-name, and back', async () => {
    const kubelet = await startKubelet(sandbox());
    await leaveSocket(sandbox(), NAME);
    const { from, to } = recordOf(await retire(NAME), 'renamed');
    assert.equal(from, NAME);
    assert.match(to, /^\.driver-reg\.sock\.stale-\d+$/);
    assert.deepEqual(await readdir(sandbox().registry), [to]);
    assert.ok(!kubelet.lines.some((line) => line.startsWith('deregister')));
    assert.equal(recordOf(await restore(to), 'renamed').to, NAME);
    assert.deepEqual(await readdir(sandbox().registry), [NAME]);
  });

  it('leaves a socket alone that somebody listens on, accepting or not', async () => {
    await startListener(sandbox(), NAME);
    await startListener(sandbox(), 'mute.sock', 'mute');
    assert.equal((await retire(NAME)).error?.code, 'in-use');
    assert.equal((await retire('mute.sock')).error?.code, 'in-use');
    assert.deepEqual((await readdir(sandbox().registry)).sort(), [NAME, 'mute.sock']);
  });

  it('restores to no name that is taken', async () => {
    await leaveSocket(sandbox(), NAME);
    const { to } = recordOf(await retire(NAME), 'renamed');
    await startListener(sandbox(), NAME);
    assert.equal((await restore(to)).error?.code, 'exists');
    await unlink(join(sandbox().registry, NAME));
    assert.equal((await restore(to)).code, 0);
  });

  it('restores only dot-names', async () => {
    await leaveSocket(sandbox(), NAME);
    assert.equal((await restore(NAME)).code, 2);
  });
});
