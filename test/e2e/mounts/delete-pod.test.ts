import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { clusterRole } from '../../../src/cluster/roles.ts';
import { waitUntil } from '../../cluster/index.ts';
import { openUser } from '../registration/support/rights.ts';
import { assertCleanDisk } from './support/disk.ts';
import { repair } from './support/outcome.ts';
import { type AppPod, podObject, simplePod } from './support/pods.ts';
import { Scene } from './support/scene.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const namespace = 'deletion';

/** Without staging: a pod that comes before the old one has gone gets a mount of its own. */
const web: AppPod = { ...simplePod('web'), volumes: { data: { handle: 'web', driver: 'plain' } } };

/** The secret without which nobody but kubelet can publish the volume. */
const secret = { name: 'publish', namespace };

interface Volume {
  readonly kind: string;
  readonly spec: { readonly csi?: object };
}

const withSecret = (object: object): object => {
  const { kind, spec } = object as Volume;
  if (kind !== 'PersistentVolume') return object;
  return { ...object, spec: { ...spec, csi: { ...spec.csi, nodePublishSecretRef: secret } } };
};

describe('a pod whose volume only kubelet can publish', function () {
  this.timeout(300_000);
  const user = 'healer-without-secrets';
  let shared: Shared;
  let scene: Scene;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    const { cluster } = shared;
    scene = await Scene.open(shared, namespace, []);
    const { spec } = podObject(namespace, web) as { spec: object };
    const labels = { app: 'web' };
    await cluster.apply([
      { apiVersion: 'v1', kind: 'Secret', metadata: secret, stringData: { key: 'value' } },
      ...scene.claimsOf(web).map(withSecret),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      },
    ]);
    await openUser(cluster, user).grant(...rights());
    await waitWriting(0);
    const killedAt = Date.now();
    await scene.killPlugins(['plain']);
    const [pod = ''] = await pods();
    await waitUntil('the app to fail', async () =>
      scene.attemptsIn(pod).some(({ ok, at }) => !ok && at > killedAt),
    );
  });

  after(async function () {
    this.timeout(300_000);
    await shared?.cluster.kubectl(['delete', 'deployment', '-n', namespace, 'web', '--timeout=60s']);
    await openUser(shared.cluster, user).remove();
    await scene?.close();
  });

  const rights = () =>
    clusterRole('heal').rules.flatMap(({ apiGroups: [group = ''], resources: [resource = ''], verbs }) =>
      resource === 'secrets' ? [] : verbs.map((verb) => ({ verb, resource, group })),
    );

  const pods = async () => {
    const query = ['get', 'pods', '-n', namespace, '-l', 'app=web', '-o=jsonpath={.items[*].metadata.name}'];
    return (await shared.cluster.kubectl(query)).stdout.split(' ').filter(Boolean);
  };

  const waitWriting = (since: number) =>
    waitUntil(
      'the app to write',
      async () => (await pods()).some((pod) => scene.attemptsIn(pod).some(({ ok, at }) => ok && at > since)),
      { timeoutMs: 120_000 },
    );

  const heal = (maxRisk: string) =>
    repair(shared, 'heal', '--node', 'node-1', '--max-risk', maxRisk, '--as', user);

  it('is left alone: the field that cannot be known is named, and nothing is touched', async () => {
    const before = await pods();
    const { attempts, code } = await heal('disruptive');
    assert.deepEqual(
      attempts.map((attempt) => attempt.split(':').slice(0, 2).join(':')),
      ['remount: refused', 'restart-container: refused'],
    );
    assert.match(
      attempts[0] ?? '',
      /secrets \(publish\) of the request cannot be known: no right to get secrets/,
    );
    assert.equal(code, 1);
    assert.deepEqual(await pods(), before);
    await assertCleanDisk(shared.node);
  });

  it('is deleted when that may be risked; its successor writes to the same volume', async () => {
    const [before = ''] = await pods();
    const healedAt = Date.now();
    const { attempts, code } = await heal('destructive');
    assert.match(attempts.at(-1) ?? '', /^delete-pod: repaired/, attempts.join('\n'));
    assert.equal(code, 0);
    await waitWriting(healedAt);
    assert.ok(!(await pods()).includes(before));
    assert.ok(await shared.cluster.s3.read(`${namespace}-web/web-app.log`));
    await assertCleanDisk(shared.node);
  });
});
