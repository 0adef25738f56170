import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { workloadText } from '../../../src/model/workload.ts';
import { controllerOf, ownerChain, ownerIndex, ownerOfUse, topOwner } from '../../../src/workload/owners.ts';

const owned = (name: string, kind: string, owner: string, apiVersion = 'apps/v1') => ({
  metadata: {
    name,
    namespace: 'shop',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Secret', name: 'other', uid: '0' },
      { apiVersion, kind, name: owner, uid: `uid-${owner}`, controller: true },
    ],
  },
});
const index = new Map([
  ...ownerIndex('ReplicaSet', [owned('web-1', 'Deployment', 'web'), { metadata: { name: 'bare' } }]),
  ...ownerIndex('Job', [owned('night-1', 'CronJob', 'night', 'batch/v1')]),
]);
const use = (owner?: string) => ({ pod: { namespace: 'shop', name: 'p' }, ...(owner && { owner }) });
const chain = (owner?: string) => ownerChain(ownerOfUse(use(owner)), index).map(workloadText);

describe('owners', () => {
  it('go from the pod to what was deployed', () => {
    assert.deepEqual(chain('ReplicaSet/web-1'), ['ReplicaSet/web-1', 'Deployment/web']);
    assert.deepEqual(chain('Job/night-1'), ['Job/night-1', 'CronJob/night']);
  });
  it('end at what is not in the index, and are none for a bare pod', () => {
    assert.deepEqual(chain('ReplicaSet/other'), ['ReplicaSet/other']);
    assert.deepEqual(chain('Rollout/web'), ['Rollout/web']);
    assert.deepEqual(chain(), []);
    assert.equal(topOwner(undefined, index), undefined);
  });
  it('of another namespace are not taken for those of the same name', () => {
    const owner = { kind: 'ReplicaSet', name: 'web-1', namespace: 'elsewhere' };
    assert.deepEqual(ownerChain(owner, index), [owner]);
  });
  it('that own each other end as well', () => {
    const circle = ownerIndex('Job', [owned('a', 'Job', 'b'), owned('b', 'Job', 'a')]);
    assert.equal(ownerChain(ownerOfUse(use('Job/a')), circle).length, 2);
  });
  it('are those that control, with their namespace', () => {
    assert.deepEqual(controllerOf(owned('web-1', 'Deployment', 'web')), {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      uid: 'uid-web',
    });
    assert.equal(controllerOf({ metadata: { name: 'x' } }), undefined);
  });
});
