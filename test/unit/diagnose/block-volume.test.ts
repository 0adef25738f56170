import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import rule from '../../../src/diagnose/rules/mounts/block-volume.ts';
import type { NodeView } from '../../../src/diagnose/view.ts';
import { driverName, nodeName } from '../../../src/model/ids.ts';
import type { MountState } from '../../../src/model/mounts.ts';
import { seen } from '../../../src/model/observed.ts';

const node = nodeName('worker');
const folder = '/var/lib/kubelet/plugins/kubernetes.io/csi/volumeDevices';

const use = {
  pod: { namespace: 'db', name: 'pg-0' },
  podUid: 'uid',
  node,
  driver: driverName('block.csi'),
  volume: 'disk',
  claim: { namespace: 'db', name: 'disk-pg-0' },
  persistentVolume: 'pv',
  volumeHandle: 'handle',
};

function check(state: MountState, mountPoint = `${folder}/publish/pv/uid`) {
  assert.ok(rule.scope === 'node');
  const mount = {
    namespace: '1',
    device: '0:50',
    mountPoint,
    fsType: 'fuse.daemon',
    source: 'daemon',
    state,
    ...(state === 'dead' && { errno: 'ENOTCONN' }),
    layer: 0,
    layers: 1,
  };
  const mounts = { namespaces: [{ inode: '1', host: true }], mounts: [mount] };
  return rule.check({
    node: { name: node },
    snapshot: { volumeUses: seen([use]) },
    evidence: seen({ mounts: seen(mounts) }),
  } as unknown as NodeView);
}

describe('a block volume that is a file of its driver', () => {
  it('is found dead, with its pod and what to do', () => {
    const [finding] = check('dead').found ?? [];
    assert.equal(finding?.summary, 'block volume disk-pg-0 of pod db/pg-0 is dead');
    assert.match(finding?.cure ?? '', /repairs no block volume.*kubectl -n db delete pod pg-0/);
    assert.equal(finding?.subject.volume, 'handle');
  });

  it('is found hung, and never to be touched', () => {
    const [finding] = check('hung').found ?? [];
    assert.equal(finding?.reason, 'hung');
    assert.match(finding?.cure ?? '', /touches no block volume/);
  });

  it('that answers is well, and one that could not be asked is not', () => {
    assert.deepEqual(check('alive'), { found: [], blind: [] });
    assert.equal(check('unseen').blind?.length, 1);
  });

  it('kubelet’s own bind of the same file is not counted again', () => {
    assert.deepEqual(check('dead', `${folder}/pv/dev/uid`).found, []);
  });
});
