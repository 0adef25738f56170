import assert from 'node:assert/strict';
import { agentArgs, type DaemonRecord } from '../../src/protocol/protocol.gen.ts';
import { VolumeNode } from './node.ts';
import { describeAgents, recordOf } from './sandbox.ts';

describeAgents('agent daemons', (agent, sandbox) => {
  let node: VolumeNode;

  beforeEach(async () => {
    node = await VolumeNode.open(sandbox(), agent());
    await node.must('mkdir -p "$0" "$1"', node.path('objects', 'volume'), node.path('other'));
  });

  const readOnly = ['sys_ptrace', 'dac_read_search'];

  async function daemons(): Promise<readonly DaemonRecord[]> {
    const answer = await node.runWith(readOnly, agentArgs.daemons());
    assert.equal(recordOf(answer, 'daemonCounts').unreadable, 0);
    return answer.records.filter((record): record is DaemonRecord => record.kind === 'daemon');
  }

  it('tells which process serves which mounts, with the capabilities of looking only', async () => {
    const serving = await Promise.all([node.publish(), node.serve(`${node.path('other')}/`)]);
    const found = await daemons();
    const device = await node.device(node.staging);
    assert.equal(found.length, 2);
    const first = found.find((daemon) => daemon.device === device);
    assert.equal(first?.pid, await serving[0].pid());
    assert.equal(first.comm, 'csi-fuse');
    assert.ok(first.descriptors >= 1);
    assert.equal(first.pidNamespace, first.hostPidNamespace);
    assert.deepEqual([...new Set(first.named)], [device]);
    const second = found.find((daemon) => daemon.pid !== first.pid);
    assert.equal(second?.device, await node.device(node.path('other')));
    assert.deepEqual(second.named, [second.device]);
  });

  it('knows a hung daemon, and none that has ended', async () => {
    const daemon = await node.publish();
    const device = await node.device(node.target);
    await node.must('kill -STOP "$0"', String(await daemon.pid()));
    assert.deepEqual(
      (await daemons()).map((each) => each.device),
      [device],
    );
    await node.must('kill -CONT "$0"', String(await daemon.pid()));
    await node.kill(daemon);
    assert.deepEqual(await daemons(), []);
  });

  it('counts every process that keeps a connection alive', async () => {
    const daemon = await node.publish();
    const pid = String(await daemon.pid());
    // pidfd_getfd(2): a second holder of the same descriptor, as after a fork.
    const script = `import ctypes,os,sys
libc=ctypes.CDLL(None); pid=int(sys.argv[1]); p=libc.syscall(434,pid,0)
for n in os.listdir(f'/proc/{pid}/fd'):
  if os.readlink(f'/proc/{pid}/fd/{n}')=='/dev/fuse': kept=libc.syscall(438,p,int(n),0)
print('ready',flush=True); sys.stdin.read()`;
    const other = await node.sandbox.start(['python3', '-c', script, pid]);
    const found = await daemons();
    const device = await node.device(node.target);
    assert.deepEqual(found.map((each) => each.pid).sort(), [Number(pid), await other.pid()].sort());
    assert.deepEqual(
      found.map((each) => each.device),
      [device, device],
    );
    assert.deepEqual(found.find((each) => each.comm === 'python3')?.named, []);
  });

  it('tells a daemon in a PID namespace of its own, and an open device that serves nothing', async () => {
    const folder = node.path('inner');
    await node.must('mkdir "$0"', folder);
    const flags = ['--pid', '--fork', '--mount-proc', '--propagation', 'shared'];
    await node.sandbox.start(['unshare', ...flags, ...node.serving(folder)]);
    await node.sandbox.start([
      'python3',
      '-c',
      "import os,sys; f=os.open('/dev/fuse',os.O_RDWR); print('ready',flush=True); sys.stdin.read()",
    ]);
    const found = await daemons();
    const inner = found.find(({ comm }) => comm === 'csi-fuse');
    assert.ok(inner?.pidNamespace && inner.pidNamespace !== inner.hostPidNamespace);
    const idle = found.find(({ comm }) => comm === 'python3');
    assert.deepEqual([idle?.device, idle?.named], [null, []]);
  });

  it('does not tell what else stands in a command line', async () => {
    await node.publish('--group=4711');
    const answer = await node.run(agentArgs.daemons());
    assert.doesNotMatch(JSON.stringify(answer.records), /4711|objects/);
  });
});
