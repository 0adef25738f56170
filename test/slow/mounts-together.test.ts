import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it } from 'mocha';
import { assertCleanDisk } from '../e2e/mounts/support/disk.ts';
import { type Healed, healed, repair, repairLimit } from '../e2e/mounts/support/outcome.ts';
import { type AppPod, podObject, simplePod } from '../e2e/mounts/support/pods.ts';
import { Scene } from '../e2e/mounts/support/scene.ts';
import { type Shared, sharedCluster } from '../e2e/mounts/support/shared.ts';
import { startCsi } from '../e2e/registration/support/csi.ts';

const namespace = 'together';

/** Kubelet publishes its volume again and again by itself (`requiresRepublish`). */
const republished: AppPod = {
  ...simplePod('republished'),
  volumes: { data: { handle: 'republished', driver: 'group' } },
};

/** Comes and goes while others repair: on a volume of its own, and on one that is being repaired. */
const visitor: AppPod = {
  name: 'visitor',
  volumes: { own: { handle: 'visited' }, shared: { handle: 'first' } },
  containers: [
    {
      name: 'app',
      mounts: [
        { name: 'own', mountPath: '/own' },
        { name: 'shared', mountPath: '/shared' },
      ],
      places: [{ path: '/own' }, { path: '/shared' }],
    },
  ],
};

describe('a repair beside others who mount and unmount', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;
  let healers: readonly Healed[];
  let visits = 0;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, namespace, [simplePod('first'), simplePod('second'), republished]);
    await shared.cluster.apply(scene.claimsOf(visitor));
    const killedAt = Date.now();
    await scene.killPlugins(['staging', 'group']);
    await scene.waitFailing(killedAt);
    const rest = new AbortController();
    const visiting = visit(rest.signal);
    try {
      const runs = [1, 2].map(() =>
        startCsi(shared.cluster, ['heal', '--node', 'node-1', '-o', 'json'], { timeoutMs: repairLimit }),
      );
      healers = (await Promise.all(runs.map(({ ended }) => ended))).map(healed);
    } finally {
      rest.abort();
      await visiting;
    }
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  /** Creates a pod and deletes it, again and again. */
  const visit = async (rest: AbortSignal) => {
    while (!rest.aborted) {
      await shared.cluster.apply([podObject(namespace, visitor)]);
      await sleep(1_000);
      await shared.cluster.kubectl(['delete', 'pod', '-n', namespace, visitor.name, '--timeout=120s']);
      visits += 1;
    }
  };

  it('is done by one of two healers; the other names it, or finds all well', () => {
    const attempts = healers.flatMap((each) => each.attempts);
    const repaired = attempts.filter((attempt) => attempt.startsWith('remount: repaired'));
    assert.ok(repaired.length >= 2, attempts.join('\n'));
    for (const attempt of attempts.filter((each) => !repaired.includes(each)))
      assert.match(attempt, /: (gone|refused): /);
    assert.ok(visits > 0);
  });

  it('brings every app back, with no restart and every line in S3', async () => {
    const { attempts, refusals, code } = await repair(shared, 'heal', '--node', 'node-1');
    assert.equal(code, 0, [...attempts, ...refusals].join('\n'));
    await scene.waitWell(Date.now());
    await scene.assertStored();
    for (const [name, { restarts }] of await scene.running()) assert.equal(restarts, 0, name);
    await assertCleanDisk(shared.node);
  });
});
