import assert from 'node:assert/strict';
import type { Capture } from '../../../src/files/capture.ts';
import { handoverFolder } from '../../../src/kubelet/handover.ts';
import { hostPath } from '../../../src/model/ids.ts';
import { seen } from '../../../src/model/observed.ts';
import type { AgentRecord } from '../../../src/protocol/protocol.gen.ts';
import { LeftError, type Work } from '../../../src/repair/define-repair.ts';
import { clearAway } from '../../../src/repair/handover/clear.ts';
import { restartDriver } from '../../../src/repair/handover/handover.ts';
import type { NodePort } from '../../../src/repair/ports.ts';
import { changed, nodeOf, type Parts } from '../support/captures.ts';
import { FakeNode } from '../support/fake-world.ts';
import { driver, pod as first, healthy, restartOptions, twice } from '../support/handover.ts';

const key = { namespace: 'csi', name: 'second' };
const folder = handoverFolder(hostPath('/var/lib/kubelet'), driver);
const ours = `${folder}/0f0f/globalmount`;
const device = '0:99';

/** Its template is not one that can run twice. */
const options = restartOptions({} as never, 1);

const mountsOf = ({ evidence }: Parts) => {
  if (!evidence.mounts?.seen) throw new Error('no mounts');
  return evidence.mounts.value;
};

/** The mount once more, in the namespace of a command. */
function addMount(parts: Parts, command: string, mountPoint: string): void {
  const { namespaces, mounts } = mountsOf(parts);
  const [like] = mounts;
  const namespace = namespaces.find((each) => each.command === command)?.inode;
  if (!like || !namespace) throw new Error(`no namespace of ${command}`);
  mounts.push({ ...like, id: 900 + mounts.length, namespace, mountPoint, device, fsType: 'fuse.test' });
}

const standing = (phase: string, replaces: string) => (parts: Parts) => {
  const { name: node } = parts.node;
  const createdAt = '2026-11-30T22:00:00Z';
  const one = { key, uid: 'second', node, driver, replaces, deleting: false, phase, createdAt };
  parts.snapshot.secondPlugins = seen([one]) as never;
};

const answers: Readonly<Record<string, Partial<AgentRecord>>> = {
  verify: { kind: 'verified', read: true } as Partial<AgentRecord>,
  holders: { kind: 'holderCounts', unreadable: 0 } as Partial<AgentRecord>,
};

/** A node with the second driver's pod, whose driver nobody can connect to. */
function workOn(capture: Capture): { readonly work: Work; readonly done: readonly string[] } {
  const view = nodeOf(capture);
  const node = new FakeNode(view.node.name, capture);
  node.answer = ([command = '']) => answers[command] && [answers[command] as AgentRecord];
  const pods = new Map([[key.name, { metadata: { ...key, uid: 'second' } }]]);
  const port = {
    ...node.port,
    pod: async ({ name }) => pods.get(name),
    deletePod: async ({ name }) => {
      node.log.push(`delete ${name}`);
      pods.delete(name);
      if (name === first?.key.name) node.capture = changed(capture, ({ pod }) => (pod.uid = 'new'));
    },
    createPod: async ({ metadata }) => {
      node.log.push('create');
      throw new Error(`no pod ${metadata?.name} today`);
    },
    forgetDriver: async () => undefined,
    driver: async () => {
      node.log.push('connect');
      throw new Error('connection refused');
    },
  } as NodePort;
  const nothing = () => undefined;
  const unit = { node: view.node.name, findings: [] };
  const signal = AbortSignal.timeout(5_000);
  return { work: { unit, view, node: port, signal, progress: nothing, note: nothing }, done: node.log };
}

const deleted = (done: readonly string[]) => done.filter((line) => /^(delete|create)/.test(line));
const second = { key, uid: 'second', replaces: 'old', endpoint: hostPath('/second.sock') };

describe('the end of a second driver', () => {
  it('waits for every container that has a mount of it, whatever volume that is of', async () => {
    const { work, done } = workOn(
      changed(healthy, (parts) => {
        addMount(parts, 'kubelet', ours);
        addMount(parts, 'sh', '/elsewhere');
      }),
    );
    const left = await clearAway(work, undefined, options).catch((error: unknown) => error);
    assert.ok(left instanceof LeftError);
    assert.match(left.message, /still on the second driver: container \S+ of pod \S+/);
    assert.match(left.left.join('\n'), /goes on: container/);
    assert.deepEqual(deleted(done), []);
  });

  it('names a process where no volume is known of it', async () => {
    const { work } = workOn(
      changed(healthy, (parts) => {
        addMount(parts, 'kubelet', ours);
        addMount(parts, 'busybox', '/elsewhere');
      }),
    );
    await assert.rejects(
      clearAway(work, second, options),
      /process 200 \(busybox\) of container a0ac17426938/,
    );
  });

  it('does not wait for copies by propagation, nor for the node plugin itself', async () => {
    const { work, done } = workOn(
      changed(healthy, (parts) => {
        addMount(parts, 'kubelet', ours);
        addMount(parts, 'agent', ours);
        addMount(parts, 'busybox', `/host${ours}`);
        addMount(parts, 'namespace-4-driver', '/inside');
      }),
    );
    await clearAway(work, second, options);
    assert.deepEqual(deleted(done), ['delete second']);
  });

  it('needs no answer of it: what it does not unpublish, the agent detaches', async () => {
    const { work, done } = workOn(changed(healthy, (parts) => addMount(parts, 'kubelet', ours)));
    await clearAway(work, second, options);
    assert.ok(done.includes('connect'));
    assert.ok(done.some((line) => line.startsWith('unmount') && line.includes(ours)));
    assert.deepEqual(deleted(done), ['delete second']);
  });
});

describe('a second driver that an interrupted run left', () => {
  for (const phase of ['Running', 'Failed'])
    it(`is ended once the driver was restarted, unasked and whatever the template says: ${phase}`, async () => {
      const { work, done } = workOn(changed(healthy, standing(phase, 'old')));
      await restartDriver(work, options);
      assert.deepEqual(deleted(done), ['delete second']);
      assert.equal(done.includes('connect'), false);
    });

  it('is ended too where the driver was not restarted yet and its template cannot run twice any more', async () => {
    const { work, done } = workOn(changed(healthy, standing('Running', first?.uid ?? '')));
    await restartDriver(work, options);
    assert.deepEqual(deleted(done), [`delete ${first?.key.name}`, 'delete second']);
  });

  it('gives way to another where it has ended before the restart', async () => {
    const { work, done } = workOn(changed(healthy, standing('Failed', first?.uid ?? '')));
    const daemonSets = options.daemonSets.map((each) => ({ ...each, template: twice }));
    await assert.rejects(restartDriver(work, { ...options, daemonSets }), /no pod kubectl-csi-handover-/);
    assert.deepEqual(deleted(done), ['delete second', 'create']);
  });
});
