import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { restartAdvice } from '../../../src/diagnose/restart-advice.ts';
import type { NodeView, VolumeView } from '../../../src/diagnose/view.ts';
import { nodeName } from '../../../src/model/ids.ts';
import { type Observed, seen, unseen } from '../../../src/model/observed.ts';
import type { PluginPod } from '../../../src/model/snapshot.ts';

const pod = { key: { namespace: 'csi', name: 's3-abc' } } as PluginPod;

const volume = (handle: string, state: string, fsType = 'fuse.geesefs', driver = 's3.csi') =>
  ({ driver, handle, layers: [{ state, fsType }] }) as unknown as VolumeView;

const adviceOn = (volumes: Observed<readonly VolumeView[]>) =>
  restartAdvice({ node: { name: nodeName('worker') }, volumes } as NodeView, 's3.csi', pod);

describe('the advice to restart a node plugin', () => {
  it('counts the living FUSE volumes that a restart by hand would kill, each once', () => {
    const volumes = [
      volume('a', 'alive'),
      volume('a', 'alive'),
      volume('b', 'alive'),
      volume('c', 'dead'),
      volume('d', 'alive', 'ext4'),
      volume('e', 'alive', 'fuse.geesefs', 'other.csi'),
    ];
    assert.equal(
      adviceOn(seen(volumes)),
      'kubectl csi restart s3.csi --node worker (kubectl -n csi delete pod s3-abc kills 2 living FUSE volumes of it on the node)',
    );
  });

  it('says that nothing is lost where nothing lives', () => {
    assert.match(adviceOn(seen([volume('c', 'dead')])), /no living FUSE mount of it is on the node$/);
  });

  it('does not call the unseen dead', () => {
    assert.match(adviceOn(unseen('not looked')), /kills every living FUSE mount of it on the node/);
  });
});
