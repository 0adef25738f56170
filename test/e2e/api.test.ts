import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import { missingRights, rightText } from '../../src/cluster/access.ts';
import type { Api } from '../../src/cluster/api.ts';
import { connect } from '../../src/cluster/connect.ts';
import { isForbidden, isNotFound } from '../../src/cluster/errors.ts';
import { recordEvent } from '../../src/cluster/events.ts';
import { holdLease } from '../../src/cluster/lease.ts';
import { LeaseHeldError } from '../../src/cluster/lease-errors.ts';
import { readSnapshot } from '../../src/cluster/snapshot/snapshot.ts';
import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployApp,
  deployDriver,
  startCluster,
  waitUntil,
} from '../cluster/index.ts';

const driverName = 's3.csi.test';

interface Pod {
  readonly status: { readonly phase: string };
}

interface Lease {
  readonly spec: {
    readonly renewTime: string;
    readonly holderIdentity: string;
    readonly leaseTransitions: number;
  };
}

describe('the API client on a real API server', function () {
  this.timeout(120_000);
  const signal = new AbortController().signal;
  const app = { namespace: 'default', pod: 'app', container: 'app' };
  let cluster: Cluster;
  let node: ClusterNode;
  let driver: DeployedDriver;
  let api: Api;
  let jane: Api;

  before(async () => {
    cluster = await startCluster({ nodes: 1 }, console.error);
    node = cluster.node('node-1');
    driver = await deployDriver(cluster, { name: driverName });
    await driver.waitRegistered();
    await deployApp(cluster, { name: 'app', driver: driverName, node: node.name });
    const asAdmin = { kubeconfig: cluster.kubeconfig, env: process.env };
    api = (await connect(asAdmin)).api;
    jane = (await connect({ ...asAdmin, as: 'jane', asGroups: ['system:authenticated'] })).api;
    const running = async () =>
      (await api.get<Pod>('/api/v1/namespaces/default/pods/app')).status.phase === 'Running';
    await waitUntil('the app to run', running);
  });
  after(() => cluster?.stop());

  it('reads a snapshot in which CSINode, kubelet and the pods agree', async () => {
    const snapshot = await readSnapshot(api, { kubelet: true, signal });
    assert.equal(snapshot.serverVersion, cluster.kubeVersion);
    const [one] = snapshot.nodes;
    assert(one?.csiNode.seen && one.kubeletPlugins.seen && one.kubeletVolumes.seen && one.kubeletConfig.seen);
    assert.deepEqual(
      one.csiNode.value.map(({ driver }) => driver),
      [driverName],
    );
    assert.deepEqual(one.kubeletPlugins.value.actual, [driver.registrySocket]);
    assert.deepEqual(one.kubeletPlugins.value.desired, [driver.registrySocket]);
    assert.deepEqual(one.kubeletVolumes.value, { [driverName]: 1 });
    assert.equal(one.kubeletConfig.value.cgroupDriver, 'cgroupfs');
    assert(snapshot.pluginPods.seen && snapshot.daemonSets.seen && snapshot.volumeUses.seen);
    assert.deepEqual(
      snapshot.pluginPods.value.map(({ nameHints }) => nameHints[0]),
      [driverName],
    );
    assert.deepEqual(
      snapshot.volumeUses.value.map(({ pod, driver }) => [pod.name, driver]),
      [['app', driverName]],
    );
  });

  it('tells a kubelet that is silent from one that says nothing', async () => {
    await node.stopKubelet();
    try {
      const { nodes } = await readSnapshot(api, { kubelet: true, kubeletTimeoutMs: 500, signal });
      assert.deepEqual(nodes[0]?.kubeletPlugins, { seen: false, why: 'kubelet gave no answer in 0.5 s' });
      assert(nodes[0]?.csiNode.seen);
    } finally {
      await node.continueKubelet();
    }
  });

  describe('exec', () => {
    it('gives output, errors and exit code', async () => {
      const stream = await api.exec(app, ['sh', '-c', 'echo out; echo err >&2; exit 3'], { signal });
      const [stdout, stderr, status] = await Promise.all([
        text(stream.stdout),
        text(stream.stderr),
        stream.status,
      ]);
      assert.deepEqual([stdout, stderr, status.exitCode], ['out\n', 'err\n', 3]);
    });

    it('carries megabytes both ways and ends standard input alone', async () => {
      const stream = await api.exec(app, ['cat'], { signal, stdin: true });
      const payload = randomBytes(3_000_001);
      stream.stdin.end(payload);
      assert(payload.equals(await buffer(stream.stdout)));
      assert.deepEqual(await stream.status, { exitCode: 0, message: '' });
    });

    it('says why a command cannot start', async () => {
      const { exitCode, message } = await (await api.exec(app, ['/nope'], { signal })).status;
      assert.equal(exitCode, null);
      assert.match(message, /\/nope.*no such file/);
    });

    it("is refused in the server's words", async () => {
      await assert.rejects(api.exec({ ...app, pod: 'none' }, ['ls'], { signal }), isNotFound);
      await assert.rejects(
        api.exec({ ...app, container: 'none' }, ['ls'], { signal }),
        /container none is not valid/,
      );
      await assert.rejects(jane.exec(app, ['ls'], { signal }), (error: unknown) => {
        assert(isForbidden(error));
        assert.match(String(error), /User "jane" cannot (get|create) resource "pods\/exec"/);
        return true;
      });
    });
  });

  it('names the rights that lack', async () => {
    const exec = {
      verb: 'create',
      group: '',
      resource: 'pods',
      subresource: 'exec',
      namespace: 'kube-system',
    };
    assert.deepEqual((await missingRights(jane, [exec])).map(rightText), [
      'create pods/exec in namespace kube-system',
    ]);
    assert.deepEqual(await missingRights(api, [exec]), []);
    await assert.rejects(readSnapshot(jane, { kubelet: true, signal }), {
      verb: 'list',
      resource: 'nodes',
      status: 403,
    });
  });

  it('hands back warnings of a dry run', async () => {
    const labels = { 'pod-security.kubernetes.io/warn': 'baseline' };
    await api.create('/api/v1/namespaces', { metadata: { name: 'warned', labels } });
    const container = { name: 'a', image: 'b', securityContext: { privileged: true } };
    const pod = { metadata: { name: 'x' }, spec: { containers: [container] } };
    const { warnings } = await api.create('/api/v1/namespaces/warned/pods', pod, { dryRun: 'All' });
    assert.match(warnings.join(), /would violate PodSecurity "baseline:latest": privileged/);
  });

  it('watches from a version on', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const { metadata } = await api.get<{ metadata: { resourceVersion: string } }>(path);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w' }, data: { a: 'b' } };
    await api.patch(`${path}/w`, object, 'apply', { fieldManager: 'test' });
    await api.remove(`${path}/w`);
    const stop = new AbortController();
    const types: string[] = [];
    for await (const { type } of api.watch(
      path,
      { resourceVersion: metadata.resourceVersion },
      stop.signal,
    )) {
      types.push(type);
      if (type === 'DELETED') stop.abort();
    }
    assert.deepEqual(types, ['ADDED', 'DELETED']);
  });

  it('holds a lease that others respect, renews it, and leaves none', async () => {
    const request = { name: 'csi-test', namespace: 'kube-system', holder: 'me', seconds: 2 };
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/csi-test';
    const held = await holdLease(api, request, signal);
    await assert.rejects(holdLease(api, { ...request, holder: 'you' }, signal), LeaseHeldError);
    const first = (await api.get<Lease>(path)).spec.renewTime;
    await waitUntil(
      'the lease to be renewed',
      async () => (await api.get<Lease>(path)).spec.renewTime !== first,
    );
    assert.equal(await held.release(), undefined);
    await assert.rejects(api.get(path), isNotFound);
  });

  it('takes over a lease that has run out', async () => {
    const request = { name: 'csi-old', namespace: 'kube-system', holder: 'gone', seconds: 2 };
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/csi-old';
    const gone = new AbortController();
    await holdLease(api, { ...request, now: () => Date.now() - 60_000 }, gone.signal);
    gone.abort();
    const held = await holdLease(api, { ...request, holder: 'me' }, signal);
    const { holderIdentity, leaseTransitions } = (await api.get<Lease>(path)).spec;
    assert.deepEqual([holderIdentity, leaseTransitions], ['me', 1]);
    await held.release();
  });

  it('records an event that kubectl describe shows', async () => {
    const involved = { apiVersion: 'v1', kind: 'Node', name: node.name };
    const event = { involved, type: 'Normal', reason: 'DriverAnnouncedAgain', message: 'in a test' } as const;
    assert.equal(await recordEvent(api, event), undefined);
    assert.match(
      (await cluster.kubectl(['describe', 'node', node.name])).stdout,
      /DriverAnnouncedAgain .* in a test/,
    );
  });

  it('ends in time when the API server stops', async () => {
    cluster.pauseApiServer();
    try {
      const fresh = await connect({
        kubeconfig: cluster.kubeconfig,
        requestTimeoutMs: 700,
        env: process.env,
      });
      await assert.rejects(fresh.api.get('/version'), { failure: 'timeout' });
    } finally {
      cluster.resumeApiServer();
    }
  });
});
