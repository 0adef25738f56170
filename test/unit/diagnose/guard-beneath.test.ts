import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import rule from '../../../src/diagnose/rules/mounts/guard-beneath.ts';
import type { NodeView, VolumeView } from '../../../src/diagnose/view.ts';
import { driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import type { ObservedMount } from '../../../src/model/mounts.ts';

const path = hostPath('/var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/pv/mount');
const node = nodeName('worker');
const mounted = [{ state: 'alive' } as ObservedMount];

interface Case {
  readonly layers?: readonly ObservedMount[];
  readonly guarded?: boolean;
  readonly journal?: boolean;
  readonly deleting?: boolean;
  /** The API server knows no pod of it; undefined: it has one, whose claim is there. */
  readonly podGone?: boolean;
}

function reasons({ layers = mounted, guarded = false, journal = false, deleting = false, podGone }: Case) {
  assert.ok(rule.scope === 'volume');
  const volume = {
    node,
    driver: driverName('s3.csi'),
    handle: 'h',
    target: { path, guarded },
    ...(podGone === undefined && {
      use: { pod: { namespace: 'default', name: 'app' }, volume: 'data', phase: 'Running', deleting },
    }),
    podGone: podGone === true,
    layers,
    ...(journal && { guards: [path] }),
  } as unknown as VolumeView;
  return (rule.check(volume, {} as NodeView).found ?? []).map(({ reason }) => reason);
}

describe('a directory that a repair left write-protected', () => {
  it('is found under a mount, by the journal: nothing else can see it there', () => {
    assert.deepEqual(reasons({ journal: true }), ['cut-off']);
    assert.deepEqual(reasons({}), []);
  });

  it('is left alone while it protects the disk under a pod in use, though the journal tells of it', () => {
    assert.deepEqual(reasons({ layers: [], guarded: true, journal: true }), []);
  });

  it('is left alone under a pod whose claim is gone: it runs, and would write to the disk', () => {
    assert.deepEqual(reasons({ layers: [], guarded: true, podGone: false }), []);
    assert.deepEqual(reasons({ layers: [], guarded: true, podGone: true }), ['cut-off']);
  });

  it('is found where its pod is on the way out: kubelet cannot remove it', () => {
    assert.deepEqual(reasons({ layers: [], guarded: true, deleting: true }), ['cut-off']);
    assert.deepEqual(reasons({ layers: [], guarded: false, journal: true, deleting: true }), []);
  });
});
