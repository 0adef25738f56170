import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentArgs } from '../../src/protocol/protocol.gen.ts';
import { binaries } from './binaries.ts';
import { POD, PV, seenOn, VolumeNode } from './node.ts';
import { type Background, byteText, describeAgents, recordOf } from './sandbox.ts';

describeAgents('agent mounts', (agent, sandbox) => {
  let node: VolumeNode;
  let daemon: Background;
  const path = (...names: readonly string[]) => node.path(...names);

  beforeEach(async () => {
    node = await VolumeNode.open(sandbox(), agent());
    await mkdir(path('app'));
    daemon = await node.publish();
    await node.must('mkdir -p "$0/sub" && echo one > "$0/f"', node.target);
  });

  it('sees a living volume on the host and in a container, and kubelet’s own words about it', async () => {
    const container = await node.container(
      `mount --bind "$0/sub" ${path('app')}; mount -o remount,bind,ro ${path('app')}`,
    );
    await node.must('mkdir -p "$1" && mount --bind "$0/sub" "$1"', node.target, node.subpath());
    const answer = await node.look();
    const [published] = seenOn(answer, node.target);
    assert.deepEqual(
      [published?.state, published?.errno, published?.layers, published?.position, published?.mount.root],
      ['alive', null, 1, 0, '/'],
    );
    const inside = seenOn(answer, path('app')).find(({ namespace }) => namespace === container.namespace);
    assert.equal(inside?.mount.root, '/sub');
    assert.match(String(inside?.mount.options), /^ro,/);
    assert.equal(inside?.mount.device, await node.device(node.target));
    assert.equal(published?.waiting, 0);
    const volume = recordOf(answer, 'volume');
    assert.deepEqual(
      [volume.path, volume.podUid, volume.specName, volume.volData, volume.mount],
      [node.target, POD, PV, '{}\n', 'mounted'],
    );
    assert.deepEqual(
      [recordOf(answer, 'staged').path, recordOf(answer, 'staged').mount],
      [node.staging, 'mounted'],
    );
    const subpath = recordOf(answer, 'subpath');
    assert.deepEqual(
      [subpath.path, subpath.volume, subpath.container, subpath.index, subpath.mount],
      [node.subpath(), PV, 'app', '0', 'mounted'],
    );
    const namespaces = answer.records.filter((record) => record.kind === 'namespace');
    assert.deepEqual(
      namespaces.map(({ inode }) => inode).sort(),
      [...new Set(namespaces.map(({ inode }) => inode))].sort(),
    );
    assert.equal(namespaces.filter(({ isHost }) => isHost).length, 1);
    assert.equal(namespaces.find(({ inode }) => inode === container.namespace)?.pid, container.pid);
    assert.equal(recordOf(answer, 'mountCounts').truncated, false);
  });

  it('names the oldest process of a container, not the one with the lowest id', async () => {
    const { withPid } = await binaries();
    const app = 'echo ready; exec sleep 600';
    await sandbox().start([withPid, '30000', 'unshare', '--mount', 'sh', '-c', app]);
    await sleep(50); // start times are told in ticks of 10 ms
    const joined = await sandbox().start(['nsenter', '--target', '30000', '--mount', 'sh', '-c', app]);
    assert.ok((await joined.pid()) < 30_000);
    const namespaces = async () => {
      const { records } = await node.look();
      const inode = await node.must('stat -Lc %i /proc/30000/ns/mnt');
      return records.flatMap((record) =>
        record.kind === 'namespace' && record.inode === inode ? [record.pid] : [],
      );
    };
    assert.deepEqual(await namespaces(), [30_000]);
    await node.must('kill -KILL 30000');
    assert.deepEqual(
      (await node.look()).records.flatMap((record) =>
        record.kind === 'namespace' && !record.isHost ? [record.comm] : [],
      ),
      ['sleep'],
    );
  });

  it('names a process that sees the whole namespace before an older one in a chroot', async () => {
    const chroot = path('chroot');
    await mkdir(chroot);
    const setup = `mount --bind / ${chroot}; chroot ${chroot} sleep 600 > /dev/null 2>&1 & sleep 0.05`;
    const container = await node.container(setup);
    const younger = await sandbox().start([
      'nsenter',
      '--target',
      String(container.pid),
      '--mount',
      'sh',
      '-c',
      'echo ready; exec sleep 600',
    ]);
    await node.must('kill -KILL "$0"', String(container.pid));
    await container.process.closed;
    const { records } = await node.look();
    const found = records.filter(
      (record) => record.kind === 'namespace' && record.inode === container.namespace,
    );
    assert.deepEqual(
      found.map((record) => record.kind === 'namespace' && record.pid),
      [await younger.pid()],
    );
  });

  it('counts processes that it may not look at, and none that ended meanwhile', async () => {
    await node.container('true');
    const capabilities = ['dac_read_search'];
    const kept = '-all,+dac_read_search';
    const peer = await sandbox().start([
      'setpriv',
      '--bounding-set',
      kept,
      '--inh-caps',
      kept,
      'sh',
      '-c',
      'echo ready; exec sleep 600',
    ]);
    const args = agentArgs.mounts({ at: await peer.pid(), root: sandbox().root });
    const confined = recordOf(await node.runWith(capabilities, args), 'mountCounts');
    assert.ok(confined.unreadable >= 2, String(confined.unreadable)); // process 1 and the container, at least
    const short = 'echo ready; while :; do unshare --mount true; done';
    await Promise.all([1, 2].map(() => sandbox().start(['sh', '-c', short])));
    for (let tries = 0; tries < 25; tries++) {
      const { unreadable } = recordOf(await node.look(), 'mountCounts');
      assert.equal(unreadable, 0);
    }
  });

  it('sees a dead volume wherever it is, and in no order of lines', async () => {
    const container = await node.container(`mount --bind "$0" ${path('app')}`);
    await node.kill(daemon);
    const answer = await node.look();
    for (const point of [node.target, node.staging, path('app')]) {
      const states = seenOn(answer, point).map(({ state, errno }) => [state, errno]);
      assert.ok(states.length > 0);
      assert.ok(
        states.every(([state, errno]) => state === 'dead' && errno === 'ENOTCONN'),
        point,
      );
    }
    assert.ok(seenOn(answer, path('app')).some(({ namespace }) => namespace === container.namespace));
  });

  it('needs no capability but to look', async () => {
    await node.container(`mount --bind "$0" ${path('app')}`);
    await node.kill(daemon);
    const args = agentArgs.mounts({ at: 1, root: sandbox().root });
    const answer = await node.runWith(['sys_ptrace', 'dac_read_search'], args);
    assert.equal(answer.code, 0);
    assert.equal(seenOn(answer, path('app'))[0]?.state, 'dead');
    assert.equal(recordOf(answer, 'volume').volData, '{}\n');
  });

  it('says hung in time, and how many wait', async () => {
    await node.must('kill -STOP "$0"', String(await daemon.pid()));
    const stuck = await node.sandbox.start(
      ['sh', '-c', 'exec stat "$0" 2>&1', join(node.target, 'sub')],
      null,
    );
    const start = Date.now();
    const answer = await node.look(200);
    assert.ok(Date.now() - start < 5000);
    const [published] = seenOn(answer, node.target);
    assert.equal(published?.state, 'hung');
    assert.ok(Number(published?.waiting) > 0);
    await node.must('kill -CONT "$0"', String(await daemon.pid()));
    await stuck.closed;
  });

  it('tells apart who may not ask, and a server without an answer', async () => {
    await mkdir(path('own'));
    await node.serve(path('own'), '--no-allow-other', '--owner', '1000');
    const [mount] = seenOn(await node.look(), path('own'));
    assert.equal(mount?.state, 'unseen');
  });

  it('sees layers, and looks at the topmost only', async () => {
    await node.must('mount --bind "$0" "$0"', node.target);
    const first = seenOn(await node.look(), node.target);
    assert.deepEqual(first.map(({ layers, position, state }) => [layers, position, state]).sort(), [
      [2, 0, 'hidden'],
      [2, 1, 'alive'],
    ]);
    await node.kill(daemon);
    await mkdir(path('fresh'));
    await node.serve(path('fresh'));
    await node.must('mount --bind "$0" "$1"', path('fresh'), node.target);
    const second = seenOn(await node.look(), node.target).toSorted((a, b) => a.position - b.position);
    assert.equal(second.at(-1)?.state, 'alive');
    assert.ok(second.length > 2 && second.slice(0, -1).every(({ state }) => state === 'hidden'));
  });

  it('never looks through a dead mount at what is nested in it', async () => {
    await node.must('mkdir "$0/in"', node.target);
    const inner = join(node.target, 'in');
    const container = await node.container(
      `mount --bind "$0" ${path('app')}; mount --bind "$0/sub" ${path('app', 'in')}`,
    );
    await node.serve(inner);
    await node.kill(daemon);
    await new Promise((resolve) => setTimeout(resolve, 1200)); // until the kernel's cached names end
    const before = await node.must('cat /proc/1/mountinfo');
    const answer = await node.look();
    assert.equal(seenOn(answer, inner)[0]?.state, 'hidden');
    assert.equal(seenOn(answer, path('app', 'in'))[0]?.state, 'hidden');
    assert.equal(await node.must('cat /proc/1/mountinfo'), before);
    assert.equal((await container.mounts(path('app', 'in'))).length, 1);
  });

  it('sees a bare target, what lies in it, and whether it is guarded', async () => {
    await node.must('umount "$0"; umount "$1"', node.target, node.staging);
    for (let i = 0; i < 25; i++) await writeFile(join(node.target, `stray${i}`), '');
    const container = await node.container(`mount --bind "$0" ${path('app')}`);
    await node.must('chattr +i "$0"', node.target);
    const answer = await node.look();
    await node.must('chattr -i "$0"', node.target);
    const volume = recordOf(answer, 'volume');
    assert.deepEqual(
      [volume.mount, volume.guarded, volume.files.length, volume.truncated],
      ['bare', true, 20, true],
    );
    assert.deepEqual(recordOf(answer, 'staged').mount, 'bare');
    const bound = seenOn(answer, path('app')).find(({ namespace }) => namespace === container.namespace);
    assert.ok(bound?.mount.root.endsWith(`/volumes/kubernetes.io~csi/${PV}/mount`));
  });

  it('keeps names of odd bytes, other layouts, and leaves too large files out', async () => {
    const odd = `pv ${byteText(0xff)}\n"`;
    const volumes = dirname(dirname(node.target));
    await node.must('mkdir -p "$0/$(printf \'pv \\377\\n"\')/mount"', volumes);
    await node.must('head -c 70000 /dev/zero | tr "\\0" x > "$0/vol_data.json"', dirname(node.target));
    await node.must('mkdir -p "$0/plugins/kubernetes.io/csi/pv/old-pv/globalmount"', sandbox().root);
    await node.must('mkdir -p "$0/pods/u/volumeDevices/kubernetes.io~csi"', sandbox().root);
    await node.must('ln -s /dev/null "$0/pods/u/volumeDevices/kubernetes.io~csi/block"', sandbox().root);
    await node.must('mkdir -p "$0"; touch "$0/9"', dirname(node.subpath()));
    const { records } = await node.look();
    const named = records.flatMap((record) => (record.kind === 'volume' ? [record] : []));
    assert.equal(named.find(({ specName }) => specName === odd)?.mount, 'bare');
    assert.equal(named.find(({ specName }) => specName === PV)?.volData, null);
    const staged = records.flatMap((record) => (record.kind === 'staged' ? [record] : []));
    assert.equal(staged.find(({ driver }) => driver === 'pv')?.hash, 'old-pv');
    assert.equal(records.find((record) => record.kind === 'blockVolume')?.mount, 'file');
    assert.equal(records.find((record) => record.kind === 'subpath')?.mount, 'file');
  });

  it('strips the mark of a root that the kernel forgot', async () => {
    await node.container(`mount --bind "$0/sub" ${path('app')}`);
    await node.must('rmdir "$0/sub"', node.target);
    const [mount] = seenOn(await node.look(), path('app'));
    assert.deepEqual([mount?.mount.root, mount?.deleted], ['/sub', true]);
  });

  it('looks at many hung file systems at once', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => path(`many${index}`));
    for (const one of paths) await mkdir(one);
    const daemons = await Promise.all(paths.map((one) => node.serve(one)));
    for (const one of daemons) await node.must('kill -STOP "$0"', String(await one.pid()));
    const answer = await node.look(400);
    for (const one of paths) assert.equal(seenOn(answer, one)[0]?.state, 'hung');
    assert.ok(recordOf(answer, 'mountCounts').milliseconds < 8 * 400);
    for (const one of daemons) await node.must('kill -CONT "$0"', String(await one.pid()));
  });
});
