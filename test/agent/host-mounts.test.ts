import assert from 'node:assert/strict';
import { lstat, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentArgs } from '../../src/protocol/protocol.gen.ts';
import { seenOn, VolumeNode } from './node.ts';
import { type Background, describeAgents, recordOf } from './sandbox.ts';

describeAgents('agent verify, unmount, subpath, own, abort and holders', (agent, sandbox) => {
  let node: VolumeNode;
  let daemon: Background;
  const verify = (path: string, deadline = 500) => node.run(agentArgs.verify({ at: 1, path, deadline }));
  const signal = async (name: string) => node.must(`kill -${name} "$0"`, String(await daemon.pid()));

  beforeEach(async () => {
    node = await VolumeNode.open(sandbox(), agent());
    daemon = await node.publish();
    await node.must('mkdir -p "$0/sub/deep" && echo one > "$0/sub/f"', node.target);
  });

  it('verifies by device, layers, statfs and a read', async () => {
    const device = await node.device(node.target);
    const good = recordOf(await verify(node.target), 'verified');
    assert.deepEqual(
      [good.device, good.layers, good.state, good.read, good.root],
      [device, 1, 'alive', true, '/'],
    );
    const file = recordOf(await verify(join(node.target, 'sub/f')), 'verified');
    assert.deepEqual([file.device, file.layers, file.read], [device, 0, true]);
    await signal('STOP');
    const hung = recordOf(await verify(node.target, 100), 'verified');
    assert.deepEqual([hung.state, hung.read, hung.readErrno], ['hung', false, null]);
    await signal('CONT');
    await node.kill(daemon);
    const dead = recordOf(await verify(node.target), 'verified');
    assert.deepEqual(
      [dead.state, dead.errno, dead.read, dead.readErrno],
      ['dead', 'ENOTCONN', false, 'ENOTCONN'],
    );
    await node.must('umount -l "$0"', node.target);
    assert.equal(recordOf(await verify(node.target), 'verified').layers, 0);
    assert.equal((await verify(join(node.target, 'nothing'))).error?.code, 'not-found');
  });

  it('detaches exactly the layer it was told', async () => {
    const [mount] = await node.mounts(node.target);
    const unmount = (options = {}) =>
      node.run(
        agentArgs.unmount({
          at: 1,
          path: node.target,
          device: String(mount?.device),
          mountId: Number(mount?.id),
          ...options,
        }),
      );
    assert.equal((await unmount()).error?.code, 'alive');
    assert.equal((await unmount({ mountId: 1, planned: true })).error?.code, 'changed');
    assert.equal((await unmount({ device: '0:1', planned: true })).error?.code, 'changed');
    await node.must('mount -t tmpfs in "$0/sub"', node.target);
    assert.equal((await unmount({ planned: true })).error?.code, 'mounted');
    await node.must('umount "$0/sub"', node.target);
    await node.kill(daemon);
    assert.equal(recordOf(await unmount(), 'unmounted').layers, 0);
    assert.equal((await unmount()).error?.code, 'not-found');
    assert.equal((await node.mounts(node.staging)).length, 1);
  });

  it('removes empty directories and nothing else', async () => {
    const remove = (path: string) => node.run(agentArgs.removeEmpty({ at: 1, path }));
    const folder = node.path('folder');
    assert.equal((await remove(node.target)).error?.code, 'mounted');
    await mkdir(folder);
    await writeFile(join(folder, 'f'), '');
    assert.equal((await remove(folder)).error?.code, 'not-empty');
    assert.equal((await remove(join(folder, 'f'))).error?.code, 'not-found');
    await symlink(folder, node.path('link'));
    assert.equal((await remove(node.path('link'))).error?.code, 'symlink');
    await node.must('rm "$0/f"', folder);
    assert.equal(recordOf(await remove(folder), 'removed').path, folder);
    await assert.rejects(lstat(folder));
  });

  it('removes empty directories inside one, and never a file or a mount', async () => {
    const folder = node.path('folder');
    const remove = () => node.run(agentArgs.removeEmpty({ at: 1, path: folder, below: true }));
    await node.must(
      'mkdir -p "$0/a/b" "$0/c/d" "$0/e" && : > "$0/c/f" && mount -t tmpfs none "$0/e"',
      folder,
    );
    assert.equal((await remove()).error?.code, 'not-empty');
    assert.equal(await node.must('find "$0" -mindepth 1 -printf "%P\n" | sort', folder), 'c\nc/f\ne');
    await node.must('rm "$0/c/f" && umount "$0/e" && mkdir -p "$0/a/b/c"', folder);
    recordOf(await remove(), 'removed');
    await assert.rejects(lstat(folder));
  });

  it('makes a directory below kubelet’s plugins and nowhere else', async () => {
    const make = (path: string) =>
      node.run(agentArgs.makeDirectory({ at: 1, root: node.sandbox.root, path }));
    const path = `${node.sandbox.root}/plugins/kubernetes.io/csi/driver/ours/mount`;
    assert.equal(recordOf(await make(path), 'made').made, true);
    assert.equal(recordOf(await make(path), 'made').made, false);
    assert.ok((await lstat(path)).isDirectory());
    assert.equal((await make(`${node.sandbox.root}/pods/x`)).error?.code, 'usage');
    assert.equal((await make(`${node.sandbox.root}/plugins/../pods/x`)).error?.code !== undefined, true);
    await symlink('/tmp', `${node.sandbox.root}/plugins/link`);
    assert.equal((await make(`${node.sandbox.root}/plugins/link/x`)).error?.code, 'symlink');
  });

  it('rebuilds kubelet’s binds of subPaths: dead, missing, a directory, a file', async () => {
    const subs = ['sub', 'sub/deep', 'sub/f', 'sub'];
    const bind =
      'mkdir -p "$(dirname "$1")"; if [ -d "$0" ]; then mkdir "$1"; else touch "$1"; fi; mount --bind "$0" "$1"';
    for (const [index, sub] of subs.slice(0, 3).entries()) {
      await node.must(bind, join(node.target, sub), node.subpath(index));
    }
    const dead = await node.device(node.target);
    await node.kill(daemon);
    await node.must('umount -l "$0"; umount -l "$1"', node.target, node.staging);
    await node.publish();
    const device = await node.device(node.target);
    const rebuild = (index: number, sub: string, options = {}) =>
      node.run(
        agentArgs.subpath({
          at: 1,
          root: sandbox().root,
          target: node.subpath(index),
          from: node.target,
          sub,
          device: dead,
          ...options,
        }),
      );
    assert.equal((await rebuild(0, 'sub', { device: undefined })).error?.code, 'mounted');
    for (const [index, sub] of subs.entries()) {
      const rebuilt = recordOf(await rebuild(index, sub), 'rebuilt');
      assert.deepEqual(
        [rebuilt.device, rebuilt.root, rebuilt.layers, rebuilt.popped],
        [device, `/${sub}`, 1, index < 3 ? 1 : 0],
      );
      assert.equal((await node.mounts(node.subpath(index))).length, 1);
    }
    assert.equal(await node.must('cat "$0"', node.subpath(2)), 'one');
    assert.equal((await rebuild(0, 'sub')).error?.code, 'mounted');
    const volume = node.path('volume');
    await mkdir(volume);
    await node.must('mount -t tmpfs v "$0"; ln -s /etc "$0/out"', volume);
    assert.equal((await rebuild(7, 'out', { from: volume })).error?.code, 'symlink');
    assert.equal((await rebuild(0, 'sub', { target: node.target })).error?.code, 'usage');
  });

  it('refuses a subPath that changed between file and directory', async () => {
    await node.must('mkdir -p "$(dirname "$0")"; touch "$0"', node.subpath());
    const args = agentArgs.subpath({
      at: 1,
      root: sandbox().root,
      target: node.subpath(),
      from: node.target,
      sub: 'sub',
    });
    assert.equal((await node.run(args)).error?.code, 'changed');
  });

  it('gives a volume to a group as kubelet does', async () => {
    const volume = node.path('volume');
    await mkdir(volume);
    await node.must(
      `mount -t tmpfs -o mode=755 v "$0"; cd "$0"; mkdir -m 700 d; touch f d/g; chmod 600 f d/g; ln -s f l; ln -s /etc/passwd out
       mkdir other; mount -t tmpfs other other`,
      volume,
    );
    const passwd = await stat('/etc/passwd');
    const own = (options = {}) =>
      node.run(agentArgs.own({ at: 1, path: volume, gid: 4321, onRootMismatch: true, ...options }));
    const owned = recordOf(await own(), 'owned');
    assert.deepEqual(
      [owned.skipped, owned.complete, owned.failed, owned.visited, owned.changed],
      [false, true, 0, 6, 6],
    );
    const listed = await node.must('cd "$0"; stat -c "%n %a %g" . d f d/g l out other', volume);
    assert.deepEqual(listed.split('\n'), [
      '. 2775 4321',
      'd 2770 4321',
      'f 660 4321',
      'd/g 660 4321',
      'l 777 4321',
      'out 777 4321',
      'other 1777 0',
    ]);
    assert.deepEqual((await stat('/etc/passwd')).mode, passwd.mode);
    assert.equal(recordOf(await own(), 'owned').skipped, true);
    assert.equal(recordOf(await own({ onRootMismatch: false }), 'owned').changed, 0);
    const readOnly = recordOf(await own({ gid: 99, readOnly: true }), 'owned');
    assert.equal(readOnly.complete, true);
    assert.equal((await own({ path: node.path('objects') })).error?.code, 'not-found');
    await node.must('mount -o remount,ro "$0"', volume);
    const failed = recordOf(await own({ gid: 7 }), 'owned');
    assert.deepEqual([failed.complete, failed.errno], [false, 'EROFS']);
  });

  it('gives up on a hung volume in time', async () => {
    await signal('STOP');
    const args = agentArgs.own({ at: 1, path: node.target, gid: 4321, deadline: 200 });
    assert.equal(recordOf(await node.run(args), 'owned').complete, false);
    await signal('CONT');
  });

  it('aborts a hung connection, and only a hung one', async () => {
    const device = await node.device(node.target);
    const abort = (options = {}) => node.run(agentArgs.abort({ at: 1, device, deadline: 200, ...options }));
    assert.equal((await abort()).error?.code, 'alive');
    assert.equal((await abort({ device: '0:1' })).error?.code, 'not-found');
    await signal('STOP');
    const stuck = await node.sandbox.start(
      ['sh', '-c', 'exec stat "$0" 2>&1', join(node.target, 'sub')],
      null,
    );
    const aborted = recordOf(await abort(), 'aborted');
    assert.ok(Number(aborted.waiting) > 0);
    assert.notEqual(await stuck.closed, 0);
    assert.equal(seenOn(await node.look(), node.target)[0]?.state, 'dead');
    assert.equal((await abort()).error?.code, 'already');
    await signal('CONT');
  });

  it('aborts no other kind of file system, and a living one by force', async () => {
    await mkdir(node.path('memory'));
    await node.must('mount -t tmpfs m "$0"', node.path('memory'));
    const abort = (device: string, force = false) => node.run(agentArgs.abort({ at: 1, device, force }));
    assert.equal((await abort(await node.device(node.path('memory')))).error?.code, 'unsupported');
    assert.equal((await abort(await node.device(node.target), true)).code, 0);
    assert.equal(recordOf(await verify(node.target), 'verified').state, 'dead');
  });

  it('finds who holds a device, dead or hung', async () => {
    const script = `import mmap,os,sys
os.chdir(sys.argv[1]); f=open('f','r+b'); m=mmap.mmap(f.fileno(),0); g=open('f'); print('ready',flush=True); sys.stdin.read()`;
    const holder = await node.sandbox.start(['python3', '-c', script, join(node.target, 'sub')]);
    const device = await node.device(node.target);
    for (const state of ['alive', 'hung', 'dead']) {
      if (state === 'hung') await signal('STOP');
      if (state === 'dead') {
        await signal('CONT');
        await node.kill(daemon);
      }
      const answer = await node.run(agentArgs.holders({ device: [device, '999:9'] }));
      const found = recordOf(answer, 'holder');
      assert.deepEqual(
        [
          found.pid,
          found.device,
          found.descriptors,
          found.workingDirectory,
          found.rootDirectory,
          found.mappings,
        ],
        [await holder.pid(), device, 3, true, false, 1],
      );
      assert.equal(recordOf(answer, 'holderCounts').unreadable, 0);
    }
  });
});
