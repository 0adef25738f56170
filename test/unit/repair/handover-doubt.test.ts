import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { VolumeView } from '../../../src/diagnose/view.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { doubtOf, kernelBar } from '../../../src/repair/handover/doubt.ts';
import { movesOver, seenVolumesOn } from '../../../src/repair/handover/places.ts';
import { restartRepair } from '../../../src/repair/handover/repair.ts';
import { toPublish } from '../../../src/repair/remount/units.ts';
import { changed, nodeOf, type Parts } from '../support/captures.ts';
import { driver, fuse, healthy, restartOptions } from '../support/handover.ts';

const options = restartOptions({} as never, 1);

const node = (change: (parts: Parts) => void) => nodeOf(changed(healthy, change));
const bar = (view: ReturnType<typeof node>, force = false) =>
  restartRepair({ ...options, force }).bars({ node: view.node.name, findings: [] }, view, { force });

/** The volumes of a node whose containers have something else on the path. */
const strange = (state: VolumeView['containers'][number]['state']) => {
  const view = node(fuse);
  const volumes = seenVolumesOn(view, driver).map((volume) => ({
    ...volume,
    containers: volume.containers.map((container) => ({ ...container, state })),
  }));
  return { ...view, volumes: seen(volumes) };
};

describe('a restart of a driver, where not all is known', () => {
  const unlisted = node((parts) => {
    parts.snapshot.volumeUses = unseen('persistentvolumes is forbidden');
  });

  it('is barred while the volumes of pods cannot be listed, and no volume counts as unused', () => {
    assert.deepEqual(unlisted.volumes, unseen('persistentvolumes is forbidden'));
    assert.equal(bar(unlisted), 'persistentvolumes is forbidden');
    assert.equal(bar(unlisted, true), 'persistentvolumes is forbidden');
    assert.throws(() => movesOver(unlisted, driver), /persistentvolumes is forbidden/);
  });

  for (const state of ['missing', 'other-device', 'other-offset', 'bare'] as const)
    it(`is barred without --force while a container is ${state}, which is never moved`, () => {
      const view = strange(state);
      assert.match(doubtOf(view, options) ?? '', /could not be carried; --force restarts anyway$/);
      assert.deepEqual(movesOver(view, driver), []);
    });
});

describe('a handover on a kernel that moves no mount beneath another', () => {
  const on = (kernel: string) =>
    kernelBar(
      node(({ evidence }) => {
        if (evidence.host.seen) Object.assign(evidence.host.value, { kernel });
      }),
    );

  it('is barred, with what to type instead', () => {
    assert.match(on('5.15.0-91-generic') ?? '', /--no-handover restarts it/);
    assert.match(on('6.4.16') ?? '', /--no-handover restarts it/);
  });

  it('is not barred from 6.5 on', () => {
    for (const kernel of ['6.5.0-14-generic', '6.12.1', '7.0.0']) assert.equal(on(kernel), undefined);
  });
});

describe('a bare target', () => {
  const [volume] = seenVolumesOn(
    node(() => undefined),
    driver,
  );
  const bare = (more: Partial<VolumeView>) =>
    toPublish([{ ...(volume as VolumeView), state: 'bare', containers: [], ...more }]).length;
  const use = volume?.use as NonNullable<VolumeView['use']>;

  it("is kubelet's to publish while the pod starts", () => {
    assert.equal(bare({ use: { ...use, phase: 'Pending' } }), 0);
  });

  it('is published again under a pod that runs, and where a repair was cut off', () => {
    assert.equal(bare({ use: { ...use, phase: 'Running' } }), 1);
    const guarded = { ...(volume as VolumeView).target, guarded: true };
    assert.equal(bare({ use: { ...use, phase: 'Pending' }, target: guarded }), 1);
  });
});
