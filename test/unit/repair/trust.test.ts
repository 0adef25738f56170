import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ContainerMountView, VolumeView } from '../../../src/diagnose/view.ts';
import { containerPath, driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import type { ObservedMount } from '../../../src/model/mounts.ts';
import { distrustOf } from '../../../src/repair/remount/trust.ts';

const target = hostPath('/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/pv/mount');

const mountOf = (parts: Partial<ObservedMount>): ObservedMount => ({
  namespace: '1',
  id: 1,
  device: '0:7',
  root: '/',
  mountPoint: target,
  options: 'rw',
  propagation: 'shared',
  fsType: 'fuse.geesefs',
  source: 'bucket',
  state: 'alive',
  layer: 0,
  layers: 1,
  ...parts,
});

const volumeOf = (parts: Partial<VolumeView>): VolumeView => ({
  node: nodeName('n'),
  driver: driverName('s3.csi'),
  handle: 'h',
  podGone: false,
  target: { path: target, podUid: 'u', specName: 'pv', state: 'mounted', guarded: false, files: [] },
  layers: [mountOf({})],
  state: 'alive',
  subPaths: [],
  containers: [],
  ...parts,
});

const containerOf = (
  state: ContainerMountView['state'],
  parts: Partial<ObservedMount> = {},
): ContainerMountView => ({
  container: 'app',
  role: 'app',
  declared: { path: containerPath('/data'), subPath: false, readOnly: false, propagation: 'None' },
  mount: mountOf({ mountPoint: '/data', state: 'dead', device: '0:3', ...parts }),
  state,
});

const none = new Set<string>();

/** A container that is moved onto anything but its volume writes its data to the wrong place in silence. */
describe('what a container may be moved onto', () => {
  it('a mount of the kind and source of its dead one', () => {
    assert.equal(distrustOf(volumeOf({}), mountOf({}), containerOf('dead'), none), undefined);
  });

  it('no tmpfs and no directory of the disk that somebody put over the volume', () => {
    for (const foreign of [
      mountOf({ fsType: 'tmpfs', source: 'handmade' }),
      mountOf({ fsType: 'ext4', source: '/dev/sda1' }),
      mountOf({ source: 'another-bucket' }),
    ])
      assert.match(
        distrustOf(volumeOf({ layers: [foreign] }), foreign, containerOf('dead'), none) ?? '',
        /is not known to be the volume/,
      );
  });

  it('what was published a moment ago, whatever it calls itself', () => {
    const fresh = mountOf({ fsType: 'fuse.other', source: 'x' });
    assert.equal(
      distrustOf(volumeOf({ layers: [fresh] }), fresh, containerOf('dead'), new Set([target])),
      undefined,
    );
  });

  it('the staged file system, also for a container on the bare directory', () => {
    const staging = {
      target: { path: hostPath('/s'), driver: 's3.csi', state: 'mounted', guarded: false } as const,
      layers: [mountOf({})],
    };
    assert.equal(distrustOf(volumeOf({ staging }), mountOf({}), containerOf('bare'), none), undefined);
    assert.match(
      distrustOf(volumeOf({}), mountOf({}), containerOf('bare'), none) ?? '',
      /is not known to be the volume/,
    );
  });

  it('nothing where more than one mount lies, not even after publishing', () => {
    const layers = [mountOf({ state: 'hidden' }), mountOf({ layer: 1 })];
    assert.match(
      distrustOf(volumeOf({ layers }), mountOf({}), containerOf('dead'), new Set([target])) ?? '',
      /^2 mounts lie on/,
    );
  });
});
