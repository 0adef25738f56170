import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { waitUntil } from '../../cluster/index.ts';
import { csiJson } from '../registration/support/csi.ts';
import type { DoctorDocument } from '../registration/support/documents.ts';
import { podEvents } from './support/events.ts';
import { repair } from './support/outcome.ts';
import { type AppPod, podObject, simplePod } from './support/pods.ts';
import { Scene } from './support/scene.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const namespace = 'ladder';

/** Its container starts only when both volumes live. */
const both: AppPod = {
  name: 'both',
  volumes: { one: { handle: 'one' }, two: { handle: 'two' } },
  containers: [
    {
      name: 'app',
      mounts: [
        { name: 'one', mountPath: '/one' },
        { name: 'two', mountPath: '/two', subPath: 'sub' },
      ],
      places: [
        { path: '/one', stored: 'one' },
        { path: '/two', stored: 'two/sub' },
      ],
    },
  ],
};

/** It looks into the volume inside the volume, so that the kernel takes that away when the outer one dies. */
const inner = (name: string): AppPod => ({
  name,
  volumes: { data: { handle: `${name}-outer` }, more: { handle: `${name}-inner` } },
  containers: [
    {
      name: 'app',
      mounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'more', mountPath: '/data/more' },
      ],
      places: [
        { path: '/data', stored: `${name}-outer` },
        { path: '/data/more', stored: `${name}-inner` },
      ],
    },
  ],
});

const never = simplePod('never', { restartPolicy: 'Never' });
const holder = simplePod('holder', {}, ['--hold=fd,cwd,mmap']);

/** A pod that is never started again. When it ends, a Job of two completions makes the next. */
const owned: AppPod = { ...inner('owned'), fields: { restartPolicy: 'Never' } };

describe('the ladder: swap, restart the container, delete the pod', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, namespace, [both, inner('lost'), never, holder]);
    const killedAt = Date.now();
    await scene.killPlugins(['staging']);
    await scene.waitFailing(killedAt, tried());
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  /** A hold on a mapping or a directory fails by itself and under the same path. */
  const tried = (name?: string) =>
    scene.probes().filter(({ pod }) => name === undefined || pod.name === name);
  const restarts = async (name: string) => (await scene.running()).get(`${name}/app`)?.restarts;
  const remount = (name: string, strategy: string) =>
    repair(shared, 'remount', `pod/${name}`, '-n', namespace, '--strategy', strategy);

  it('--strategy restart publishes all volumes of the pod again, and the container starts on them', async () => {
    const { attempts, code } = await remount('both', 'restart');
    const healedAt = Date.now();
    assert.equal(code, 0, attempts.join('\n'));
    assert.ok(attempts.some((attempt) => attempt.startsWith('restart-container: repaired')));
    await scene.waitWell(healedAt, tried('both'));
    assert.equal(await restarts('both'), 1);
    await scene.assertStored(tried('both'));
  });

  it('--strategy restart refuses where nothing would start the container again', async () => {
    const { attempts, refusals, code } = await remount('never', 'restart');
    assert.deepEqual(attempts, []);
    assert.match(refusals.join('\n'), /restartPolicy Never: kubelet might not start its containers again/);
    assert.equal(code, 1);
  });

  it('--strategy swap brings the same pod back', async () => {
    const { attempts, code } = await remount('never', 'swap');
    const healedAt = Date.now();
    assert.equal(code, 0, attempts.join('\n'));
    await scene.waitWell(healedAt, tried('never'));
    assert.equal(await restarts('never'), 0);
  });

  it('restarts the container whose mount the kernel took away with the one it lay in, if it may', async () => {
    const { doc } = await csiJson<DoctorDocument>(shared.cluster, ['doctor', '--node', 'node-1']);
    const lost = doc.diagnosis.findings.filter(({ reason }) => reason === 'lost');
    assert.deepEqual(
      lost.map(({ summary }) => summary),
      [`container app of pod ${namespace}/lost has no mount of its own any more at /data/more`],
    );
    const safe = await repair(shared, 'remount', 'pod/lost', '-n', namespace, '--strategy', 'swap');
    assert.match(safe.attempts.join('\n'), /remount: undone: \/data\/more of container app is lost/);
    assert.equal(safe.code, 4);
    const { attempts, code } = await remount('lost', 'auto');
    const healedAt = Date.now();
    assert.equal(code, 0, attempts.join('\n'));
    await scene.waitWell(healedAt, tried('lost'));
    assert.equal(await restarts('lost'), 1);
    const last = scene.attemptsIn('lost').findLast(({ ok, path }) => ok && path === '/data/more');
    const stored = await shared.cluster.s3.read(`${namespace}-lost-inner/lost-app.log`);
    const line = Number(stored?.trim().split('\n').at(-1));
    const ahead = line - (last?.n ?? 0);
    assert.ok(
      ahead >= 0 && ahead < 10,
      `line ${line} is the last of the inner volume, ${last?.n} of the app`,
    );
  });

  it('says what an app goes on holding of the dead volume', async () => {
    const looked = await csiJson<DoctorDocument>(shared.cluster, ['doctor', '--node', 'node-1']);
    assert.ok(looked.doc.diagnosis.findings.some(({ subject }) => subject.pod?.name === 'holder'));
    const { doc, attempts, code } = await remount('holder', 'swap');
    assert.equal(code, 0, attempts.join('\n'));
    const notes = doc.outcome?.steps.flatMap((step) => step.attempts.flatMap((each) => each.notes ?? []));
    assert.equal(notes?.length, 1, JSON.stringify(notes));
    assert.match(
      notes?.[0] ?? '',
      /process \d+ of container app of pod holder keeps 1 open descriptors, its working directory, 1 mappings of the dead mount: they fail until it opens them anew or restarts/,
    );
    const healedAt = Date.now();
    const held = () => scene.attemptsIn('holder').filter(({ at }) => at > healedAt);
    await waitUntil('new opens to work', async () => held().some(({ ok, op }) => ok && op === 'read'));
    assert.ok(held().some(({ ok, op }) => !ok && op.startsWith('fd')));
  });

  it('writes how it ended in events on the pods', async () => {
    for (const name of ['both', 'never', 'holder']) {
      const last = (await podEvents(scene, name)).at(-1);
      assert.equal(`${last?.type} ${last?.reason}`, 'Normal CSIMountRecovered', name);
    }
    const failed = (await podEvents(scene, 'lost')).filter(({ type }) => type === 'Warning');
    assert.equal(failed[0]?.reason, 'CSIMountRecoveryFailed');
  });

  it('deletes no pod that nobody would make again as it was, whatever may be risked', async () => {
    const { cluster } = shared;
    const { spec } = podObject(namespace, owned) as { spec: object };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'owned', namespace } };
    await cluster.apply([...scene.claimsOf(owned), { ...job, spec: { completions: 2, template: { spec } } }]);
    const names = async () => {
      const query = [
        'get',
        'pods',
        '-n',
        namespace,
        '-l',
        'job-name=owned',
        '-o=jsonpath={.items[*].metadata.name}',
      ];
      return (await cluster.kubectl(query)).stdout.split(' ').filter(Boolean);
    };
    await waitUntil(
      'the Job to run',
      async () => {
        const [name = ''] = await names();
        return scene.attemptsIn(name).some(({ ok, path }) => ok && path === '/data/more');
      },
      { timeoutMs: 120_000 },
    );
    const [first = ''] = await names();
    const killedAt = Date.now();
    await scene.killPlugins(['staging']);
    await waitUntil('the Job to fail', async () =>
      scene.attemptsIn(first).some(({ ok, at, path }) => !ok && at > killedAt && path === '/data/more'),
    );
    const barred = await repair(shared, 'heal', '--node', 'node-1', '--max-risk', 'disruptive');
    assert.notEqual(barred.code, 0);
    assert.deepEqual(await names(), [first]);
    const { refusals } = await repair(shared, 'heal', '--node', 'node-1', '--max-risk', 'destructive');
    assert.match(refusals.join('\n'), /belongs to Job\/owned, which would not make the same again/);
    assert.deepEqual(await names(), [first]);
    await cluster.kubectl(['delete', 'job', '-n', namespace, 'owned', '--timeout=60s']);
  });
});
