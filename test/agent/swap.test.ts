import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Container, VolumeNode } from './node.ts';
import { type Background, describeAgents, recordOf } from './sandbox.ts';

describeAgents('agent swap', (agent, sandbox) => {
  let node: VolumeNode;
  let daemon: Background;
  const path = (...names: readonly string[]) => node.path(...names);

  beforeEach(async () => {
    node = await VolumeNode.open(sandbox(), agent());
    await mkdir(path('app'));
    daemon = await node.publish();
    await node.must('mkdir -p "$0/sub/deep" && echo one > "$0/f" && echo two > "$0/sub/deep/f"', node.target);
  });

  /** The daemon dies, and the driver publishes anew. */
  const republish = async () => {
    await node.kill(daemon);
    await node.must('umount -l "$0" "$1"', node.target, node.staging);
    daemon = await node.publish();
  };
  const bound = (flags = '') =>
    node.container(
      `mount --bind "$0" ${path('app')}${flags && `\nmount -o remount,bind,${flags} ${path('app')}`}`,
    );
  const reads = async (container: Container, file: string) => {
    const { code, stdout } = await container.run(`cat ${file}`);
    assert.equal(code, 0);
    return stdout.trim();
  };

  it('keeps every flag', async () => {
    const flags = ['rw', 'ro', 'noexec', 'noatime', 'strictatime,nodiratime', 'ro,nosymfollow', 'suid,dev'];
    const containers: Container[] = [];
    for (const flag of flags) containers.push(await bound(flag));
    const before = await Promise.all(containers.map((container) => container.mounts(path('app'))));
    assert.equal(new Set(before.map(([mount]) => mount?.options)).size, flags.length);
    await republish();
    for (const [index, container] of containers.entries()) {
      const swapped = recordOf(await node.swap(container, path('app')), 'swapped');
      assert.deepEqual(
        [swapped.mode, swapped.layersBefore, swapped.layersAfter, swapped.popped, swapped.read],
        ['beneath', 1, 1, 0, true],
      );
      const [mount, ...others] = await container.mounts(path('app'));
      assert.equal(others.length, 0);
      assert.equal(mount?.options, before[index]?.[0]?.options);
      assert.equal(mount?.device, await node.device(node.target));
      assert.equal(mount?.propagation, '');
      assert.equal(await reads(container, path('app', 'f')), 'one');
      const { code } = await container.run(`echo new > ${path('app', 'new')}`);
      assert.equal(code === 0, !flags[index]?.startsWith('ro'));
    }
  });

  it('keeps the offset of a subPath, while kubelet’s own bind of it is dead', async () => {
    const subs = [
      { sub: 'sub', read: 'deep/f' },
      { sub: 'sub/deep', read: 'f' },
      { sub: 'sub/deep/f', read: '' },
    ];
    const containers: Container[] = [];
    for (const [index, { sub }] of subs.entries()) {
      const bind =
        'mkdir -p "$(dirname "$1")"; if [ -d "$0" ]; then mkdir "$1" "$2"; else touch "$1" "$2"; fi; mount --bind "$0" "$1"';
      await node.must(bind, join(node.target, sub), node.subpath(index), path(`app${index}`));
      containers.push(await node.container(`mount --bind ${node.subpath(index)} ${path(`app${index}`)}`));
    }
    await republish();
    for (const [index, { sub, read }] of subs.entries()) {
      const container = containers[index] ?? assert.fail();
      const swapped = recordOf(await node.swap(container, path(`app${index}`)), 'swapped');
      assert.deepEqual([swapped.root, swapped.read], [`/${sub}`, true]);
      assert.equal(await reads(container, join(path(`app${index}`), read)), 'two');
      const open = ['sh', '-c', 'exec 3< "$0"', node.subpath(index)];
      assert.notEqual((await node.sandbox.run(open)).code, 0);
    }
  });

  for (const propagation of ['private', 'slave', 'shared'] as const) {
    it(`keeps ${propagation} propagation and shows the host nothing of a private one`, async () => {
      const container = await node.container(
        `mount --bind "$0" ${path('app')}; mount --make-${propagation} ${path('app')}`,
        'unchanged',
      );
      await republish();
      // Once the host's mount is gone a slave shows as private: who swaps must know it from before.
      const swapped = recordOf(
        await node.swap(container, path('app'), propagation === 'private' ? {} : { propagation }),
        'swapped',
      );
      assert.deepEqual(
        [swapped.shared !== null, swapped.master !== null],
        [propagation === 'shared', propagation === 'slave'],
      );
      await container.run(`mkdir -p ${path('app', 'inner')}; mount -t tmpfs inner ${path('app', 'inner')}`);
      const onHost = await node.mounts(`${node.target}/inner`);
      assert.equal(onHost.length, propagation === 'shared' ? 1 : 0);
      await node.must('mkdir -p "$0/outer"; mount -t tmpfs outer "$0/outer"', node.target);
      const inside = await container.mounts(path('app', 'outer'));
      assert.equal(inside.length, propagation === 'private' ? 0 : 1);
    });
  }

  it('serves several containers and repeated deaths', async () => {
    const containers = [await bound(), await bound('ro'), await bound()];
    for (let death = 0; death < 3; death++) {
      await republish();
      for (const container of containers) {
        assert.equal(recordOf(await node.swap(container, path('app')), 'swapped').layersAfter, 1);
        assert.equal(await reads(container, path('app', 'f')), 'one');
      }
    }
  });

  it('needs no more capabilities than it says', async () => {
    const container = await bound('ro');
    await republish();
    const capabilities = ['sys_admin', 'sys_chroot', 'sys_ptrace'];
    const swapped = recordOf(await node.swap(container, path('app'), { capabilities }), 'swapped');
    assert.deepEqual([swapped.mode, swapped.read], ['beneath', true]);
  });

  it('takes a target of odd bytes', async () => {
    const odd = path('odd \t\n\\dir');
    await mkdir(odd);
    const container = await node.container(
      'mount --bind "$0" "$(printf "$PWD/odd \\t\\n\\\\\\\\dir")"'.replaceAll('$PWD', path('')),
    );
    await republish();
    assert.equal(recordOf(await node.swap(container, odd), 'swapped').target, odd);
    assert.equal((await container.mounts(odd)).length, 1);
  });

  it('refuses a symbolic link that was put in the place of the target', async () => {
    const container = await bound();
    await republish();
    await node.must('mv "$0" "$1"', path('app'), path('moved'));
    await symlink(path('moved'), path('app'));
    const before = await container.mounts(path('moved'));
    const [mount] = before;
    const answer = await node.swap(container, path('app'), {
      mountId: mount?.id ?? 0,
      device: mount?.device ?? '',
    });
    assert.equal(answer.code, 1);
    assert.equal(answer.error?.code, 'changed');
    assert.deepEqual(await container.mounts(path('moved')), before);
  });

  it('takes dead mounts off that lie on dead ones', async () => {
    const container = await bound();
    await republish();
    const first = await node.swap(container, path('app'), { mode: 'top' });
    assert.equal(recordOf(first, 'swapped').layersAfter, 2);
    assert.equal(await reads(container, path('app', 'f')), 'one');
    await republish();
    const second = recordOf(await node.swap(container, path('app')), 'swapped');
    assert.deepEqual([second.popped, second.layersBefore, second.layersAfter], [1, 2, 1]);
    assert.equal(await reads(container, path('app', 'f')), 'one');
  });

  it('refuses a mount that answers, and a dead one beneath it', async () => {
    const container = await bound();
    const dead = (await container.mounts(path('app')))[0];
    assert.equal((await node.swap(container, path('app'))).error?.code, 'alive');
    await republish();
    await node.swap(container, path('app'), { mode: 'top' });
    const before = await container.mounts(path('app'));
    const beneath = { mountId: dead?.id ?? 0, device: dead?.device ?? '' };
    assert.equal((await node.swap(container, path('app'), beneath)).error?.code, 'changed');
    assert.equal((await node.swap(container, path('app'))).error?.code, 'alive');
    assert.deepEqual(await container.mounts(path('app')), before);
  });

  it('refuses when the repaired mount is dead too', async () => {
    const container = await bound();
    await republish();
    await node.kill(daemon);
    const answer = await node.swap(container, path('app'));
    assert.deepEqual([answer.error?.code, answer.error?.errno], ['unseen', 'ENOTCONN']);
    assert.equal((await container.mounts(path('app'))).length, 1);
  });

  it('refuses when the directory is not in the repaired volume', async () => {
    const container = await node.container(`mount --bind "$0/sub" ${path('app')}`);
    await republish();
    await node.must('rm -r "$0/sub"', node.target);
    assert.equal((await node.swap(container, path('app'))).error?.code, 'not-found');
  });

  it('refuses a process, a namespace or a mount that is another one now', async () => {
    const container = await bound();
    const other = await bound();
    await republish();
    const { startTicks, namespace } = other;
    assert.equal((await node.swap({ ...container, startTicks: '1' }, path('app'))).error?.code, 'no-process');
    assert.equal((await node.swap({ ...container, namespace }, path('app'))).error?.code, 'changed');
    assert.equal((await node.swap(container, path('app'), { mountId: 1 })).error?.code, 'changed');
    assert.equal((await node.swap(container, path('app'), { device: '0:1' })).error?.code, 'changed');
    assert.ok(startTicks);
  });

  it('never waits for a hung mount', async () => {
    const container = await bound();
    await node.must('kill -STOP "$0"', String(await daemon.pid()));
    const fresh = path('fresh');
    await mkdir(fresh);
    const second = await node.serve(fresh);
    const answer = await node.swap(container, path('app'), { from: fresh });
    assert.equal(answer.error?.code, 'hung');
    assert.equal((await container.mounts(path('app'))).length, 1);
    assert.ok(second);
    await node.must('kill -CONT "$0"', String(await daemon.pid()));
  });

  it('puts mounts back that are inside the volume', async () => {
    await mkdir(path('other'));
    await node.must(
      'mount -t tmpfs other "$0" && echo other > "$0/f" && mkdir "$1/in"',
      path('other'),
      node.target,
    );
    const container = await node.container(
      `mount --bind "$0" ${path('app')}; mount -o ro --bind ${path('other')} ${path('app', 'in')}
       mount --bind "$0/sub" ${path('app', 'sub')}`,
    );
    await republish();
    const swapped = recordOf(await node.swap(container, path('app')), 'swapped');
    assert.equal(swapped.nested, 2);
    assert.equal(await reads(container, path('app', 'in', 'f')), 'other');
    assert.match(String((await container.mounts(path('app', 'in')))[0]?.options), /^ro/);
    assert.equal((await container.mounts(path('app', 'sub')))[0]?.root, '/sub');
  });

  it('refuses to lose a mount inside the volume, unless told to', async () => {
    await node.must('mkdir "$0/in"', node.target);
    const container = await node.container(
      `mount --bind "$0" ${path('app')}; mount -t tmpfs own ${path('app', 'in')}`,
    );
    await republish();
    const answer = await node.swap(container, path('app'));
    assert.equal(answer.error?.code, 'mounted');
    assert.equal(answer.error?.path, path('app', 'in'));
    assert.equal((await container.mounts(path('app', 'in'))).length, 1);
    assert.equal(
      recordOf(await node.swap(container, path('app'), { loseNested: true }), 'swapped').nested,
      0,
    );
  });

  it('hands a living mount over to another, and only to the one meant', async () => {
    const container = await bound();
    const fresh = path('fresh');
    await mkdir(fresh);
    await node.serve(fresh);
    const swapped = recordOf(
      await node.swap(container, path('app'), { from: fresh, planned: true }),
      'swapped',
    );
    assert.equal(swapped.device, await node.device(fresh));
    assert.equal(swapped.layersAfter, 1);
    const wrong = await node.swap(container, path('app'), { planned: true, mountId: 1 });
    assert.equal(wrong.error?.code, 'changed');
  });

  it('keeps flags, propagation, offset and what lies inside when it hands over, and back', async () => {
    const fresh = join(node.sandbox.root, 'plugins', 'fresh');
    await mkdir(fresh);
    await mkdir(path('other'));
    await node.must(
      'mount -t tmpfs other "$0" && echo other > "$0/f" && mkdir "$1/in"',
      path('other'),
      node.target,
    );
    await node.serve(fresh);
    await node.must(
      'mkdir -p "$0/sub/deep" "$0/in" && echo one > "$0/f" && echo two > "$0/sub/deep/f"',
      fresh,
    );
    const nested = await node.container(
      `mount --bind "$0" ${path('app')}; mount -o ro --bind ${path('other')} ${path('app', 'in')}`,
    );
    const sub = await node.container(`mount -o ro,noexec --bind "$0/sub/deep" ${path('app')}`);
    const slave = await node.container(
      `mount --bind "$0" ${path('app')}; mount --make-slave ${path('app')}`,
      'unchanged',
    );
    for (const from of [fresh, node.target]) {
      const planned = { from, planned: true } as const;
      assert.equal(recordOf(await node.swap(nested, path('app'), planned), 'swapped').nested, 1);
      assert.equal(await reads(nested, path('app', 'in', 'f')), 'other');
      assert.equal((await nested.mounts(path('app', 'in'))).length, 1);
      const below = recordOf(await node.swap(sub, path('app'), { ...planned, sub: 'sub/deep' }), 'swapped');
      assert.deepEqual([below.root, below.layersAfter], ['/sub/deep', 1]);
      assert.match(below.options, /^ro,.*noexec/);
      assert.equal(await reads(sub, path('app', 'f')), 'two');
      const kept = recordOf(
        await node.swap(slave, path('app'), { ...planned, propagation: 'slave' }),
        'swapped',
      );
      assert.deepEqual([kept.shared, kept.master !== null], [null, true]);
      assert.equal(kept.device, await node.device(from));
    }
  });

  it('never shows the volume without what lies inside it', async () => {
    const fresh = join(node.sandbox.root, 'plugins', 'fresh');
    await mkdir(fresh);
    await mkdir(path('other'));
    await node.must(
      'mount -t tmpfs other "$0" && echo other > "$0/f" && mkdir "$1/in"',
      path('other'),
      node.target,
    );
    await node.serve(fresh);
    await node.must('mkdir -p "$0/in"', fresh);
    const container = await node.container(
      `mount --bind "$0" ${path('app')}; mount --bind ${path('other')} ${path('app', 'in')}`,
    );
    const probe = `import sys,time
end=time.time()+1.5; bad=0; good=0
while time.time()<end:
  try: open(sys.argv[1]).read(); good+=1
  except OSError: bad+=1
print(bad, good)`;
    const enter = ['nsenter', '-t', String(container.pid), '-m'];
    const watching = node.sandbox.run([...enter, 'python3', '-c', probe, path('app', 'in', 'f')]);
    await sleep(300);
    for (const from of [fresh, node.target, fresh, node.target])
      recordOf(await node.swap(container, path('app'), { from, planned: true }), 'swapped');
    const [bad, good] = (await watching).stdout.trim().split(' ').map(Number);
    assert.equal(bad, 0);
    assert.ok(Number(good) > 100);
  });

  it('completes a handover that was killed between the move and the detaching', async () => {
    if (agent().endsWith('amd64') || agent().endsWith('arm64')) return;
    const container = await bound();
    const fresh = join(node.sandbox.root, 'plugins', 'fresh');
    await mkdir(fresh);
    await node.serve(fresh);
    const [old] = await container.mounts(path('app'));
    const wanted = { mountId: old?.id ?? 0, device: old?.device ?? '' };
    const planned = { from: fresh, planned: true, ...wanted } as const;
    await assert.rejects(
      node.swap(container, path('app'), { ...planned, env: { AGENT_CRASH_AT: 'beneath' } }),
    );
    assert.equal((await container.mounts(path('app'))).length, 2);
    const swapped = recordOf(await node.swap(container, path('app'), planned), 'swapped');
    assert.deepEqual([swapped.popped, swapped.layersAfter], [1, 1]);
    assert.equal(swapped.device, await node.device(fresh));
  });

  it('hands over to nothing that does not answer', async () => {
    const container = await bound();
    const fresh = path('fresh');
    await mkdir(fresh);
    const second = await node.serve(fresh);
    const device = await node.device(fresh);
    await node.kill(second);
    const before = await container.mounts(path('app'));
    const answer = await node.swap(container, path('app'), { from: fresh, planned: true });
    assert.deepEqual([answer.error?.code, answer.error?.errno], ['unseen', 'ENOTCONN'], device);
    assert.deepEqual(await container.mounts(path('app')), before);
    assert.equal(await reads(container, path('app', 'f')), 'one');
  });

  it('moves a container off the bare directory', async () => {
    await node.kill(daemon);
    await node.must('umount -l "$0" "$1"', node.target, node.staging);
    const container = await bound();
    daemon = await node.publish();
    const answer = await node.swap(container, path('app'), { planned: true, whole: true });
    assert.equal(recordOf(answer, 'swapped').root, '/');
    assert.equal(await reads(container, path('app', 'f')), 'one');
  });

  it('shapes the mount in a private view where there is no mount_setattr', async () => {
    if (agent().endsWith('amd64') || agent().endsWith('arm64')) return;
    const container = await bound('ro,noexec,nosuid,nodev');
    await republish();
    const env = { AGENT_KERNEL_LACKS: 'mount_setattr' };
    const hostMounts = await node.must('cat /proc/1/mountinfo');
    const swapped = recordOf(await node.swap(container, path('app'), { env }), 'swapped');
    assert.equal(swapped.options, 'ro,nosuid,nodev,noexec,relatime');
    assert.deepEqual([swapped.shared, swapped.master, swapped.read], [null, null, true]);
    assert.equal(await node.must('cat /proc/1/mountinfo'), hostMounts);
  });

  it('says so where there is no open_tree', async () => {
    if (agent().endsWith('amd64') || agent().endsWith('arm64')) return;
    const container = await bound();
    await republish();
    const answer = await node.swap(container, path('app'), { env: { AGENT_KERNEL_LACKS: 'open_tree' } });
    assert.equal(answer.error?.code, 'unsupported');
  });

  it('recovers when it was killed between the move and the detaching', async () => {
    if (agent().endsWith('amd64') || agent().endsWith('arm64')) return;
    const container = await bound();
    await republish();
    const [dead] = await container.mounts(path('app'));
    const wanted = { mountId: dead?.id ?? 0, device: dead?.device ?? '' };
    await assert.rejects(
      node.swap(container, path('app'), { ...wanted, env: { AGENT_CRASH_AT: 'beneath' } }),
    );
    assert.equal((await container.mounts(path('app'))).length, 2);
    const swapped = recordOf(await node.swap(container, path('app'), wanted), 'swapped');
    assert.deepEqual([swapped.popped, swapped.layersAfter], [1, 1]);
    assert.equal(await reads(container, path('app', 'f')), 'one');
  });

  for (const mode of ['beneath', 'top'] as const) {
    it(`leaves no moment without a mount (${mode})`, async () => {
      const container = await bound();
      const probe = `import os,sys,time
end=time.time()+1.2; missing=0; good=0
while time.time()<end:
  try: os.stat(sys.argv[1]); good+=1
  except FileNotFoundError: missing+=1
  except OSError: pass
print(missing, good)`;
      await republish();
      const watching = node.sandbox.run([
        'nsenter',
        '-t',
        String(container.pid),
        '-m',
        'python3',
        '-c',
        probe,
        path('app', 'f'),
      ]);
      await sleep(400);
      assert.equal(recordOf(await node.swap(container, path('app'), { mode }), 'swapped').mode, mode);
      const [missing, good] = (await watching).stdout.trim().split(' ').map(Number);
      assert.equal(missing, 0);
      assert.ok(Number(good) > 100);
    });
  }

  it('reports how long the target was without a mount when it had to detach first', async () => {
    const container = await bound();
    await republish();
    const swapped = recordOf(await node.swap(container, path('app'), { mode: 'detach' }), 'swapped');
    assert.deepEqual([swapped.mode, swapped.layersAfter], ['detach', 1]);
    assert.ok(swapped.window > 0 && swapped.window <= swapped.microseconds);
  });
});
