import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { ContainerMountView, NodeView, VolumeView } from '../../../src/diagnose/view.ts';
import { nodeName } from '../../../src/model/ids.ts';
import { seen, unseen } from '../../../src/model/observed.ts';

const node = { name: nodeName('worker') };

const namespacesUnseen = (evidence: unknown) => {
  const rule = rules.find(({ id }) => id === 'namespaces-unseen');
  assert.ok(rule?.scope === 'node');
  return rule.check({ node, evidence } as NodeView).blind ?? [];
};

const mountUnseen = (container: Partial<ContainerMountView>) => {
  const rule = rules.find(({ id }) => id === 'mount-unseen');
  assert.ok(rule?.scope === 'volume');
  const volume = {
    node: node.name,
    handle: 'handle',
    target: { state: 'mounted' },
    use: { phase: 'Running', deleting: false },
    layers: [],
    containers: [{ container: 'app', declared: { path: '/data' }, ...container }],
  } as unknown as VolumeView;
  return (rule.check(volume, { node } as NodeView).blind ?? []).map(({ why }) => why);
};

describe('what could not be seen of mounts', () => {
  it('processes whose mount namespace could not be read leave the node blind', () => {
    const counting = (unreadable: number) => seen({ mounts: seen({ unreadable }) });
    assert.deepEqual(namespacesUnseen(counting(0)), []);
    assert.deepEqual(namespacesUnseen(counting(1)), [
      { subject: { node: node.name }, why: 'the mount namespaces of 1 process could not be read' },
    ]);
    assert.match(String(namespacesUnseen(counting(2))[0]?.why), /of 2 processes/);
  });

  it('mounts that were not read at all are said by the rules about volumes', () => {
    assert.deepEqual(namespacesUnseen(seen({ mounts: unseen('cut short') })), []);
    assert.deepEqual(namespacesUnseen(unseen('no answer')), []);
  });

  it('a running container without a process leaves the volume blind, a stopped one does not', () => {
    assert.deepEqual(mountUnseen({ state: 'missing' }), ['no process of container app was found']);
    const namespace = { inode: '2', pid: 1, startTicks: '1', command: 'app', host: false };
    assert.deepEqual(mountUnseen({ state: 'missing', namespace }), [
      'no mount was found at /data of container app',
    ]);
    assert.deepEqual(mountUnseen({ state: 'stopped' }), []);
  });
});
