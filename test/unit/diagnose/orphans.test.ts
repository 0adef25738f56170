import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { NodeView, VolumeView } from '../../../src/diagnose/view.ts';
import { hostPath, nodeName } from '../../../src/model/ids.ts';
import type { PublishedTarget } from '../../../src/model/mounts.ts';
import { type Observed, seen, unseen } from '../../../src/model/observed.ts';

const node = { name: nodeName('worker') };
const target = (more: Partial<PublishedTarget>): PublishedTarget => ({
  path: hostPath('/var/lib/kubelet/pods/gone/volumes/kubernetes.io~csi/pv/mount'),
  podUid: 'gone',
  specName: 'pv',
  state: 'bare',
  guarded: false,
  files: [],
  ...more,
});
const data = JSON.stringify({ driverName: 's3.csi.test' });

const orphanNameless = (published: PublishedTarget, podUids: Observed<readonly string[]>) => {
  const rule = rules.find(({ id }) => id === 'orphan-nameless');
  assert.ok(rule?.scope === 'node');
  const evidence = seen({ mounts: seen({ published: [published] }) });
  return rule.check({ node, evidence, snapshot: { podUids } } as unknown as NodeView);
};

const volumeOrphaned = (published: PublishedTarget, podUids: Observed<readonly string[]> = seen([])) => {
  const rule = rules.find(({ id }) => id === 'volume-orphaned');
  assert.ok(rule?.scope === 'volume');
  const volume = { node: node.name, handle: 'pv', target: published, layers: [], state: published.state };
  return rule.check(volume as unknown as VolumeView, { snapshot: { podUids } } as NodeView);
};

describe('volumes of pods that are gone', () => {
  it('left behind, unmounted: each file and folder by its name, never recursively', () => {
    const [found] = volumeOrphaned(target({ volData: data })).found ?? [];
    assert.equal(found?.reason, 'left-behind');
    const folder = '/var/lib/kubelet/pods/gone/volumes/kubernetes.io~csi/pv';
    assert.ok(
      found.cure.includes(`rm ${folder}/vol_data.json && rmdir ${folder}/mount ${folder};`),
      found.cure,
    );
    assert.match(found.cure, /Never rm -r/);
  });

  it('with what an app wrote there: nothing is to be removed before a person has looked', () => {
    const [found] = volumeOrphaned(target({ volData: data, files: ['log'] })).found ?? [];
    assert.match(String(found?.cure), /\(log\) was written there by an app .* move it/);
    assert.doesNotMatch(String(found?.cure), /: rmdir|&& rmdir/);
  });

  it('still mounted: for kubelet to unpublish', () => {
    const [found] = volumeOrphaned(target({ state: 'mounted', volData: data })).found ?? [];
    assert.equal(found?.reason, 'pod-gone');
    assert.doesNotMatch(String(found?.cure), /rmdir/);
  });

  it('of a pod that the API server has, whatever became of its claim, is none', () => {
    assert.deepEqual(volumeOrphaned(target({ volData: data }), seen(['gone'])), {});
    assert.deepEqual(orphanNameless(target({}), seen(['gone'])).found, []);
  });

  it('is a blind spot where pods may not be read', () => {
    assert.equal(volumeOrphaned(target({ volData: data }), unseen('no right')).blind?.[0]?.why, 'no right');
    assert.equal(orphanNameless(target({}), unseen('no right')).blind?.[0]?.why, 'no right');
  });

  it('without vol_data.json are told with the node, and named ones are not told twice', () => {
    const [found] = orphanNameless(target({ state: 'mounted' }), seen([])).found ?? [];
    assert.equal(found?.reason, 'data-lost');
    assert.match(String(found?.cure), /umount \S+\/pv\/mount; then rmdir \S+\/pv\/mount \S+\/pv\./);
    assert.equal(orphanNameless(target({ volData: '{"half' }), seen([])).found?.length, 1);
    assert.deepEqual(orphanNameless(target({ volData: data }), seen([])).found, []);
  });
});
