import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { assertCleanDisk } from './support/disk.ts';
import { addEphemeral } from './support/ephemeral.ts';
import { type Mount, mountsOf } from './support/mountinfo.ts';
import { type Healed, repair } from './support/outcome.ts';
import type { AppPod } from './support/pods.ts';
import { type Running, Scene } from './support/scene.ts';
import { type Shared, sharedCluster } from './support/shared.ts';
import { ephemeral, table } from './support/table.ts';

/** What a dead FUSE mount answers, and requests that were on their way when its daemon ended. */
const deathErrnos = new Set(['ENOTCONN', 'ECONNABORTED', 'EIO']);

type Mounts = ReadonlyMap<string, readonly Mount[]>;

/** One incident for the whole table: every node plugin ends once, and one heal brings all volumes back. */
describe('dead volumes come back inside running containers', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;
  let running: ReadonlyMap<string, Running>;
  let mountsBefore: Mounts;
  let mountsAfter: Mounts;
  let killedAt: number;
  let healedAt: number;
  let healed: Healed;

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, 'table', table);
    await addEphemeral(scene, 'plain', ephemeral);
    await scene.waitWell();
    await inNested('echo kept >/data/scratch/note');
    running = await scene.running();
    mountsBefore = mounts();
    killedAt = Date.now();
    await scene.killPlugins(['staging', 'plain', 'group'], shared.cluster.nodes);
    await scene.waitFailing(killedAt);
    healed = await repair(shared, 'heal', '--all');
    healedAt = Date.now();
    await scene.waitWell(healedAt);
    mountsAfter = mounts();
  });

  after(async function () {
    this.timeout(300_000);
    await scene?.close();
  });

  /** What lies on and below the volumes in every container; /run/data is where a symbolic link leads. */
  const mounts = (): Mounts =>
    new Map(
      scene.pods.flatMap((pod) =>
        pod.containers.flatMap(({ name, mounts }) => {
          const container = running.get(`${pod.name}/${name}`);
          if (mounts.length === 0 || !container) return [];
          const paths = [...mounts.map(({ mountPath }) => String(mountPath)), '/run/data'];
          return [[`${pod.name}/${name}`, mountsOf(scene.nodeOf(pod), container.id, paths)] as const];
        }),
      ),
    );

  const inNested = (line: string) =>
    shared.cluster.kubectl(['exec', '-n', 'table', 'nested', '--', 'sh', '-c', line]);

  for (const { name } of table) {
    describe(`pod ${name}`, () => {
      const probes = () => scene.probes().filter(({ pod }) => pod.name === name);

      it('reads and writes again, and fails no more', () => {
        for (const probe of probes()) {
          const attempts = scene.attempts(probe);
          const back = attempts.findIndex(({ ok, at }) => ok && at > healedAt);
          const late = attempts.slice(back).filter(({ ok }) => !ok);
          assert.deepEqual(late, [], scene.describe(probe));
        }
      });

      it('saw nothing but a dead volume meanwhile', () => {
        for (const probe of probes()) {
          const failed = scene.attempts(probe).filter(({ ok, at }) => !ok && at >= killedAt);
          const strange = failed.filter(({ errno }) => !deathErrnos.has(errno));
          assert.ok(failed.length > 0, scene.describe(probe));
          assert.deepEqual(strange, [], scene.describe(probe));
        }
      });

      it('was not restarted', async () => {
        const now = await scene.running();
        const ours = [...running].filter(([container]) => container.startsWith(`${name}/`));
        assert.ok(ours.length > 0);
        for (const [container, was] of ours) assert.deepEqual(now.get(container), was, container);
      });

      it('has the mounts that it had: flags, propagation and offset', () => {
        const ours = [...mountsBefore].filter(([container]) => container.startsWith(`${name}/`));
        assert.ok(ours.length > 0);
        for (const [container, were] of ours) assert.deepEqual(mountsAfter.get(container), were, container);
      });

      it('has in S3 all that it wrote, before and after', () => scene.assertStored(probes()));
    });
  }

  it('keeps what lies inside the volume, and its content', async () => {
    const { stdout, stderr } = await inNested('cat /data/scratch/note');
    assert.equal(stdout, 'kept\n', stderr);
    assert.equal(await shared.cluster.s3.read('table-outer/scratch/note'), undefined);
  });

  it('needs the gentlest repair alone, and sees all', () => {
    const others = healed.attempts.filter((attempt) => !attempt.startsWith('remount: repaired: '));
    assert.deepEqual(others, []);
    assert.equal(healed.attempts.length, units.size, 'one repair a volume and node');
    assert.deepEqual(healed.doc.blindSpots, []);
    assert.equal(healed.code, 0);
  });

  it('leaves nothing on the disks of the nodes', async () => {
    for (const node of shared.cluster.nodes) await assertCleanDisk(node);
  });
});

/** What is repaired as one: a volume on a node, whoever uses it there. */
const units = new Set(
  table.flatMap(({ name, node = 'node-1', volumes }: AppPod) =>
    Object.entries(volumes).flatMap(([volume, source]) =>
      'emptyDir' in source ? [] : [`${node} ${source.handle ?? `${name} ${volume}`}`],
    ),
  ),
);
