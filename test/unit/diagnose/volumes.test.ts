import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { joinVolumes } from '../../../src/diagnose/volumes.ts';
import { containerPath, driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import type { MountEvidence, ObservedMount } from '../../../src/model/mounts.ts';
import { seen } from '../../../src/model/observed.ts';
import type { NodeSnapshot, Snapshot, VolumeUse } from '../../../src/model/snapshot.ts';

const node = nodeName('worker');
const host = '1';
const inside = '2';
const target = hostPath('/var/lib/kubelet/pods/uid/volumes/kubernetes.io~csi/pv/mount');

const mount = (namespace: string, mountPoint: string, more: Partial<ObservedMount> = {}): ObservedMount => ({
  namespace,
  id: 1,
  device: '0:50',
  root: '/',
  mountPoint,
  options: 'rw',
  propagation: 'private',
  fsType: 'fuse.daemon',
  source: 'daemon',
  state: 'alive',
  layer: 0,
  layers: 1,
  ...more,
});

const namespace = (inode: string) => ({
  inode,
  pid: 1,
  startTicks: '1',
  command: 'app',
  host: inode === host,
  ...(inode === inside && { containerId: 'abc' }),
});

const dead = { device: '0:40', state: 'dead', errno: 'ENOTCONN' } as const;

/** A container that wants the volume at `/var/run/data`, and whatever else at `paths`. */
function stateOf(mounts: readonly ObservedMount[], paths: readonly string[] = [], containerId = 'abc') {
  const declared = { path: containerPath('/var/run/data'), subPath: false, readOnly: false };
  const use = {
    pod: { namespace: 'default', name: 'app' },
    podUid: 'uid',
    node,
    phase: 'Running',
    deleting: false,
    restartPolicy: 'Always',
    volume: 'data',
    kind: 'persistent',
    driver: driverName('s3.csi.test'),
    persistentVolume: 'pv',
    volumeHandle: 'handle',
    containers: [
      {
        name: 'app',
        role: 'app',
        containerId,
        mounts: [{ ...declared, propagation: 'None' }],
        paths: [declared.path, ...paths.map(containerPath)],
      },
    ],
  } satisfies VolumeUse;
  const evidence: MountEvidence = {
    namespaces: [namespace(host), namespace(inside)],
    mounts: [mount(host, target), ...mounts],
    published: [{ path: target, podUid: 'uid', specName: 'pv', state: 'mounted', guarded: false, files: [] }],
    staged: [],
    subPaths: [],
    holders: [],
    unreadable: 0,
  };
  const snapshot = { podUids: { seen: true, value: [] }, volumeUses: seen([use]) } as unknown as Snapshot;
  const [volume] = joinVolumes(snapshot, { name: node } as NodeSnapshot, evidence);
  return volume?.containers[0]?.state;
}

describe('where a container has its volume', () => {
  it('on the path that the pod names', () => {
    assert.equal(stateOf([mount(inside, '/var/run/data')]), 'same');
  });

  it('where a symbolic link moved it, by its device', () => {
    assert.equal(stateOf([mount(inside, '/run/data')]), 'same');
  });

  it('where a symbolic link moved it and it has died since: no other volumeMount can mean it', () => {
    assert.equal(stateOf([mount(inside, '/run/data', dead)]), 'dead');
    assert.equal(
      stateOf([mount(inside, '/run/data', dead), mount(inside, '/more', dead)], ['/more']),
      'dead',
    );
  });

  it('nowhere for certain, where two volumeMounts or two mounts may be meant', () => {
    assert.equal(stateOf([mount(inside, '/run/data', dead)], ['/var/run/more']), 'missing');
    assert.equal(stateOf([mount(inside, '/run/data', dead), mount(inside, '/run/more', dead)]), 'missing');
  });

  it('not at the dead mount of another volume', () => {
    assert.equal(stateOf([mount(inside, '/more', dead)], ['/more']), 'missing');
  });

  it('nowhere for certain, where the container runs and no process of it was found', () => {
    assert.equal(stateOf([mount(inside, '/var/run/data')], [], 'other'), 'missing');
  });

  it('nowhere, where the container does not run', () => {
    assert.equal(stateOf([mount(inside, '/var/run/data')], [], ''), 'stopped');
  });

  it('nowhere, since the mount that it lay in has died', () => {
    assert.equal(stateOf([mount(inside, '/var/run', dead)], ['/var/run']), 'lost');
  });
});
