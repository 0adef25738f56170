import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import rule from '../../../src/diagnose/rules/mounts/mount-hung.ts';
import type { ClusterView, NodeView, VolumeView } from '../../../src/diagnose/view.ts';
import type { Finding } from '../../../src/model/finding.ts';
import { driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import { seen } from '../../../src/model/observed.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { repairs } from '../../../src/repair/repairs/index.gen.ts';

const node = nodeName('worker');

/** A volume of one pod whose server has stopped. */
function hungVolume(fsType: string): VolumeView {
  const mount = {
    namespace: '1',
    device: '0:50',
    mountPoint: '/target',
    fsType,
    source: 'server:/export',
    state: 'hung',
  };
  return {
    node,
    driver: driverName('nfs.csi'),
    handle: 'h',
    target: { path: hostPath('/target'), podUid: 'u', specName: 'pv', state: 'mounted', guarded: false },
    use: { pod: { namespace: 'shop', name: 'web' }, volume: 'data', phase: 'Running', deleting: false },
    layers: [mount],
    state: 'hung',
    subPaths: [],
    containers: [],
  } as unknown as VolumeView;
}

function planFor(volume: VolumeView) {
  assert.ok(rule.scope === 'volume');
  const view = { node: { name: node }, drivers: [], volumes: seen([volume]) } as unknown as NodeView;
  const findings = (rule.check(volume, view).found ?? []).map(
    (draft): Finding => ({ ...draft, rule: rule.id }),
  );
  const plan = makePlan(findings, { nodes: [view] } as unknown as ClusterView, repairs, {
    maxRisk: 'destructive',
    force: true,
  });
  return { findings, plan };
}

describe('an NFS volume whose server has stopped', () => {
  const { findings, plan } = planFor(hungVolume('nfs4'));

  it('is reported, with the server and the network as the place to look', () => {
    assert.equal(findings[0]?.summary, 'data of pod shop/web gives no answer');
    assert.match(findings[0]?.cure ?? '', /^look at the server and the network/);
    assert.match(findings[0]?.proofs[0]?.what ?? '', /nfs4, source server:\/export/);
  });

  it('is never touched, whatever may be risked', () => {
    assert.deepEqual(plan.steps, []);
    assert.match(plan.refusals[0]?.why ?? '', /only FUSE connections can be aborted/);
  });

  it('unlike FUSE, which can be aborted, if its driver answers', () => {
    assert.match(planFor(hungVolume('fuse.s3')).plan.refusals[0]?.why ?? '', /the driver does not answer/);
  });
});
