import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { agentArgs } from '../../src/protocol/protocol.gen.ts';
import { binaries } from './binaries.ts';
import { VolumeNode } from './node.ts';
import { type Background, describeAgents, recordOf } from './sandbox.ts';

describeAgents('agent probe', (agent, sandbox) => {
  let node: VolumeNode;
  let daemon: Background;
  const probe = (...path: readonly string[]) => node.run(agentArgs.probe({ path, deadline: 500 }));

  beforeEach(async () => {
    node = await VolumeNode.open(sandbox(), agent());
    daemon = await node.publish();
    await node.must('mkdir -p "$0/sub" && echo one > "$0/f"', node.target);
  });

  it('is content with what answers: directories, files, several, without any right', async () => {
    const paths = [node.target, `${node.target}/sub`, `${node.target}/f`];
    const answer = await node.runWith([], agentArgs.probe({ path: paths }));
    assert.equal(answer.code, 0);
    assert.deepEqual(recordOf(answer, 'probed'), { kind: 'probed', paths: 3, errno: null });
  });

  it('says which one is dead, and asks nothing behind it', async () => {
    await node.kill(daemon);
    const { code, error } = await probe(node.staging, node.path('none'));
    assert.equal(code, 1);
    assert.deepEqual([error?.code, error?.errno, error?.path], ['dead', 'ENOTCONN', node.staging]);
  });

  it('a stopped server: hung, in time', async () => {
    await node.must('kill -STOP "$0"', String(await daemon.pid()));
    const begin = Date.now();
    const { code, error } = await probe(node.path(), node.target);
    const took = Date.now() - begin;
    assert.deepEqual([code, error?.code, error?.path], [1, 'hung', node.target]);
    assert.ok(took < 3_000, `${took} ms`);
    await node.must('kill -CONT "$0"', String(await daemon.pid()));
    daemon.child.kill('SIGCONT');
  });

  it('a server that took the request and never answers: hung, in time', async () => {
    const { hungMount } = await binaries();
    await mkdir(node.path('hung'));
    await sandbox().start([hungMount, node.path('hung')]);
    const { code, error } = await probe(node.path('hung'));
    assert.deepEqual([code, error?.code], [1, 'hung']);
  });

  it('a path that is not there fails; one that may not be read does not', async () => {
    const absent = await probe(node.path('none'));
    assert.deepEqual([absent.code, absent.error?.code, absent.error?.errno], [1, 'not-found', 'ENOENT']);
    const folder = node.path('closed');
    await mkdir(folder, { mode: 0o700 });
    const asNobody = ['setpriv', '--reuid=65534', '--clear-groups', '--bounding-set=-all'];
    await node.must('chmod 755 "$0"', node.path());
    const { code, stdout } = await sandbox().run([
      ...asNobody,
      agent(),
      ...agentArgs.probe({ path: [folder] }),
    ]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /"errno":"EACCES"/);
  });
});
