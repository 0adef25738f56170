import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { emptyImage } from '../../cluster/images/names.ts';
import { removeObjects, waitUntil } from '../../cluster/index.ts';
import { excludedLabel } from '../../cluster/manifests/driver.ts';
import { assertNothingLeft } from './support/cluster-state.ts';
import { csi, csiJson } from './support/csi.ts';
import type { DoctorDocument, StatusDocument } from './support/documents.ts';
import { namedRights, openUser, type User } from './support/rights.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

/** Names the label that keeps the tests' node plugins off a node (test/cluster/manifests/driver.ts). */
/** Labels that keep both drivers off a node. */
const exclusions = ({ driver, neighbour }: Shared, end: string) =>
  [driver, neighbour].map(({ spec }) => `${excludedLabel(spec.name)}${end}`);

describe('reaching a node', function () {
  this.timeout(180_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
  });

  const deep = async (...args: string[]) => {
    const result = await csiJson<DoctorDocument>(shared.cluster, ['doctor', '--node', 'node-2', ...args]);
    return { ...result, blind: result.doc.diagnosis.blindSpots.map(({ why }) => why) };
  };

  /** Which image the last debug pod in a namespace was started from, by kubelet's own event. */
  const usedImages = async (namespace: string) => {
    const events = await shared.cluster.kubectlJson<{
      items: { message: string; involvedObject: { name: string } }[];
    }>(['get', 'events', '-n', namespace, '--field-selector=involvedObject.kind=Pod,reason=Pulled']);
    return events.items
      .filter(({ involvedObject }) => involvedObject.name.startsWith('kubectl-csi-'))
      .map(({ message }) => /image "([^"]+)"/.exec(message)?.[1]);
  };

  it('works with an image that holds no file at all', async () => {
    const { code, blind } = await deep('--image', emptyImage);
    assert.deepEqual(blind, []);
    assert.equal(code, 0);
    assert.ok((await usedImages('kube-system')).includes(emptyImage));
  });

  it('says that an image is not on the node', async () => {
    const { code, blind } = await deep('--image', 'test.local/absent:1');
    assert.match(blind[0] ?? '', /test\.local\/absent:1 in kube-system: ErrImageNeverPull/);
    assert.equal(code, 3);
    await assertNothingLeft(shared.cluster);
  });

  describe('where no node plugin runs', () => {
    before(async () => {
      const { cluster, otherNode } = shared;
      await cluster.kubectl(['label', 'node', otherNode.name, ...exclusions(shared, '=true')]);
      const pods = ['get', 'pods', '-A', `--field-selector=spec.nodeName=${otherNode.name}`, '-o', 'name'];
      await waitUntil('all pods to leave', async () => (await cluster.kubectl(pods)).stdout === '');
      // Kubelet tells of its images with the next of its reports.
      const images = ['get', 'node', otherNode.name, '-o', 'jsonpath={.status.images[*].names}'];
      const told = async () => (await cluster.kubectl(images)).stdout.includes('csi-driver');
      await waitUntil('the node to tell of its images', told, { timeoutMs: 90_000 });
    });
    after(async () => {
      const { cluster, driver, neighbour, otherNode } = shared;
      await cluster.kubectl(['label', 'node', otherNode.name, ...exclusions(shared, '-')]);
      await Promise.all([driver.waitRegistered([otherNode]), neighbour.waitRegistered([otherNode])]);
    });

    it('takes an image that the node has', async () => {
      const { code, blind } = await deep();
      assert.deepEqual(blind, []);
      assert.equal(code, 0);
    });

    it('takes the image of the pod that is there, though it holds no file', async () => {
      const pod = filelessPod(shared.otherNode.name);
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fileless' } };
      await shared.cluster.apply([namespace, pod]);
      try {
        const wait = ['wait', '-n', 'fileless', 'pod/fileless', '--for=condition=Ready', '--timeout=60s'];
        assert.equal((await shared.cluster.kubectl(wait)).code, 0);
        assert.deepEqual((await deep()).blind, []);
        assert.deepEqual(await usedImages('fileless'), [emptyImage]);
      } finally {
        await removeObjects(shared.cluster, [pod]);
      }
    });
  });

  it('says what admits privileged pods to a namespace, and that works as it is typed', async () => {
    const { cluster } = shared;
    const label = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await cluster.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'locked', labels: label } },
    ]);
    try {
      const args = ['--debug-namespace', 'locked'];
      const { blind, code } = await deep(...args);
      assert.match(blind[0] ?? '', /^namespace locked refuses privileged pods .*violates PodSecurity/);
      assert.equal(code, 3);
      const [, remedy = ''] = /kubectl (label namespace .*)$/.exec(blind[0] ?? '') ?? [];
      assert.equal((await cluster.kubectl(remedy.split(' '))).code, 0, `kubectl ${remedy}`);
      assert.deepEqual((await deep(...args)).blind, []);
    } finally {
      await cluster.kubectl(['delete', 'namespace', 'locked', '--wait=false']);
    }
  });

  describe('with few rights', () => {
    let user: User;
    before(() => {
      user = openUser(shared.cluster, 'e2e-user');
    });
    after(() => user.remove());

    const asUser = (...args: string[]) => csi(shared.cluster, [...args, '--as', user.name, '-o', 'json']);
    /** Grants what is named, again and again, until nothing more is named. */
    const grantNamed = async (...args: string[]) => {
      for (let round = 0; round < 6; round++) {
        const { code, stdout, stderr } = await asUser(...args);
        const missing = namedRights(`${stdout}\n${stderr}`);
        if (missing.length === 0) return { code, stdout, stderr };
        assert.equal(code, 3, `${stdout}${stderr}`);
        await user.grant(...missing);
      }
      throw new Error(`'${args.join(' ')}' names more rights each time`);
    };

    it('names the first right of all, and what to type', async () => {
      const { code, stderr } = await csi(shared.cluster, ['status', '--as', user.name]);
      assert.match(stderr, /cannot list resource "nodes"/);
      assert.match(
        stderr,
        /^Ask for the right to list nodes; kubectl auth can-i list nodes tells when you have it\.$/m,
      );
      assert.equal(code, 3);
    });

    it('is never well with what it may not see', async () => {
      await user.grant({ verb: 'list', resource: 'nodes', group: '' });
      const { code, stdout } = await asUser('status');
      assert.deepEqual(
        namedRights(stdout)
          .map(({ verb, resource }) => `${verb} ${resource}`)
          .sort(),
        ['list csidrivers', 'list csinodes', 'list daemonsets', 'list pods'],
      );
      assert.equal(code, 3);
    });

    it('sees all that needs no pod once it has the rights that were named', async () => {
      const { code, stdout } = await grantNamed('status');
      assert.equal((JSON.parse(stdout) as StatusDocument).rows.length, 4);
      assert.equal(code, 0);
    });

    it('looks at nodes without exec, and does not know what the sockets answer', async () => {
      await user.grant(
        ...['pods', 'configmaps'].flatMap((resource) =>
          ['create', 'delete', 'get', 'watch', 'list'].map((verb) => ({ verb, resource, group: '' })),
        ),
        { verb: 'get', resource: 'pods/log', group: '' },
        { verb: 'get', resource: 'nodes', group: '' },
      );
      const { code, stdout } = await asUser('status', '--deep', '--node', 'node-2');
      const { rows, diagnosis } = JSON.parse(stdout) as StatusDocument;
      assert.deepEqual(
        rows.map(({ kubelet, csiNode, verdict }) => [kubelet, csiNode, verdict]),
        [
          [true, true, 'unknown'],
          [true, true, 'unknown'],
        ],
      );
      assert.ok(
        diagnosis.blindSpots.some(({ why }) => /no right to .*pods\/exec/.test(why)),
        stdout,
      );
      assert.equal(code, 3);
    });

    it('heals once it has the rights that were named', async () => {
      const { code, stdout } = await grantNamed('heal', '--node', 'node-2');
      assert.equal(code, 0, stdout);
      await assertNothingLeft(shared.cluster);
    });
  });
});

/** Runs a program of the node in an image without one. */
const filelessPod = (node: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'fileless', namespace: 'fileless' },
  spec: {
    nodeName: node,
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'fileless',
        image: emptyImage,
        imagePullPolicy: 'Never',
        command: ['/tools/busybox', 'sleep', '3600'],
        volumeMounts: [{ name: 'tools', mountPath: '/tools' }],
      },
    ],
    volumes: [{ name: 'tools', hostPath: { path: '/usr/bin' } }],
  },
});
