import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { waitPodReady } from '../../cluster/index.ts';
import { csi } from '../registration/support/csi.ts';
import { applyInOrder, waitClaims } from './support/apply.ts';
import { assertBlocker, assertFits, doctor, type Expected, waitEvent } from './support/doctor.ts';
import { claim, namespace, pod, volume, whole } from './support/objects.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const driver = 'bind.csi.test';
const node = 'node-1';
const onOtherNode = {
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-2'] }] },
      ],
    },
  },
};

interface Case extends Expected {
  readonly objects: readonly object[];
}

const unscheduled: Readonly<Record<string, Case>> = {
  'no-claim': {
    objects: [pod({ name: 'no-claim', node })],
    blocker: 'claim-unbound: missing',
    cure: /make the claim/,
  },
  'no-volume': {
    objects: [
      claim('no-volume', { storageClassName: '', volumeName: 'gone' }),
      pod({ name: 'no-volume', node }),
    ],
    blocker: 'claim-unbound: volume-missing',
    cure: /make PersistentVolume gone/,
  },
  'by-hand': {
    objects: [claim('by-hand', { storageClassName: '' }), pod({ name: 'by-hand', node })],
    blocker: 'claim-unbound: no-volume',
    cure: /kubectl get pv/,
  },
  'no-such-class': {
    objects: [claim('no-such-class', { storageClassName: 'nope' }), pod({ name: 'no-such-class', node })],
    blocker: 'claim-unbound: class-missing',
    cure: /kubectl get storageclass/,
  },
  'no-class': {
    objects: [claim('no-class', {}), pod({ name: 'no-class', node })],
    blocker: 'claim-unbound: no-class',
    cure: /kubectl get storageclass/,
  },
  unprovisioned: {
    objects: [claim('unprovisioned', { storageClassName: driver }), pod({ name: 'unprovisioned', node })],
    blocker: 'claim-unbound: no-provisioner',
    cure: /external-provisioner/,
  },
  taken: {
    objects: [
      volume({ name: 'taken', driver, claim: 'somebody' }),
      claim('taken'),
      pod({ name: 'taken', node }),
    ],
    blocker: 'claim-unbound: volume-taken',
    cure: /kubectl patch pv taken/,
  },
  affine: {
    objects: whole({ name: 'affine', driver, node, volume: onOtherNode }),
    blocker: 'pod-unschedulable: node-affinity',
    cure: /nodeAffinity/,
    sound: ['claim', 'volume'],
  },
  crowded: {
    objects: whole({ name: 'crowded', driver: 'limited.csi.test', node }),
    blocker: 'pod-unschedulable: volume-limit',
    cure: /allocatable/,
    sound: ['claim', 'volume'],
  },
};

describe('doctor pod/NAME: claims and the scheduler', function () {
  this.timeout(300_000);
  let shared: Shared;

  before(async function () {
    this.timeout(600_000);
    shared = await sharedCluster();
    const { cluster } = shared;
    await applyInOrder(cluster, [
      ...whole({ name: 'first', driver: 'limited.csi.test', node }),
      volume({ name: 'lost', driver }),
      claim('lost'),
    ]);
    await waitPodReady(cluster, namespace, 'first');
    const objects = Object.values(unscheduled).flatMap((each) => each.objects);
    await applyInOrder(cluster, [...objects, ...whole({ name: 'lonely', driver, node: 'nowhere' })]);
  });

  for (const [name, expected] of Object.entries(unscheduled))
    it(`${name}: ${expected.blocker}`, async () => {
      const said = {
        affine: /node affinity/,
        crowded: /max volume count/,
        unprovisioned: /external provisioner/,
      }[name];
      if (said) await waitEvent(shared.cluster, name, said);
      await assertBlocker(shared.cluster, name, expected);
    });

  it('lost: claim-unbound: lost', async () => {
    const { cluster } = shared;
    await waitClaims(cluster, ['lost'], 'Bound');
    await cluster.kubectl(['delete', 'pv', 'lost', '--wait=false']);
    // Only now: the controller puts its finalizer back on a volume that nobody deletes.
    await cluster.kubectl(['patch', 'pv', 'lost', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await waitClaims(cluster, ['lost'], 'Lost');
    await cluster.apply([pod({ name: 'lost', node })]);
    await waitEvent(cluster, 'lost', /unbound|lost|not found/i);
    await assertBlocker(cluster, 'lost', {
      blocker: 'claim-unbound: lost',
      cure: /PersistentVolume lost again/,
    });
  });

  it('a pod that no node takes for other reasons is not about storage', async () => {
    const { cluster } = shared;
    await waitEvent(cluster, 'lonely', /affinity\/selector/);
    const { doc, code } = await doctor(cluster, 'lonely');
    assert.match(doc.verdict, /^this is not about storage: 0\/\d nodes are available/);
    assert.equal(doc.blocker, undefined);
    assert.equal(code, 0);
  });

  it('more volumes than the driver takes are told, whoever asks', async () => {
    const { cluster } = shared;
    // Past the scheduler, as it places pods while CSINode has no entry of the driver.
    await applyInOrder(
      cluster,
      whole({ name: 'extra', driver: 'limited.csi.test', spec: { nodeName: node } }),
    );
    await waitPodReady(cluster, namespace, 'extra');
    const { doc } = await doctor(cluster, 'extra');
    const warnings = doc.diagnosis.findings.map(
      ({ rule, reason, severity }) => `${rule}: ${reason} ${severity}`,
    );
    assert.deepEqual(warnings, ['over-committed: past-the-limit warning']);
    assert.equal(doc.verdict, 'running; all its volumes answer');
    const { stdout } = await csi(cluster, ['status', '--node', node, '--driver', 'limited.csi.test']);
    assert.match(stdout, /over-committed: past-the-limit/);
    await cluster.kubectl(['delete', 'pod', '-n', namespace, 'extra', '--wait=false']);
  });

  it('a pod that does not exist is a usage error that says what to type', async () => {
    const { code, stderr } = await csi(shared.cluster, ['doctor', 'pod/nobody', '-n', namespace]);
    assert.equal(code, 2);
    assert.match(stderr, /there is no pod "nobody" in namespace stuck/);
    assert.match(stderr, /kubectl get pods -n stuck/);
  });

  it('a node that the pod is not on is a usage error', async () => {
    const args = ['doctor', 'pod/first', '-n', namespace, '--node', 'node-2'];
    const { code, stderr } = await csi(shared.cluster, args);
    assert.equal(code, 2);
    assert.match(stderr, /is on node-1, not on node-2/);
  });

  it('fits into 100 columns, and prints names', async () => {
    const text = await assertFits(shared.cluster, 'taken');
    assert.match(text, /^pod stuck\/taken: Pending/);
    const { stdout } = await csi(shared.cluster, ['doctor', 'pod/taken', '-n', namespace, '-o', 'name']);
    assert.match(stdout, /^claim-unbound\//);
  });
});
