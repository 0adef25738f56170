import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'mocha';
import {
  type AppSpec,
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployApp,
  deployDriver,
  startCluster,
  waitUntil,
} from '../../cluster/index.ts';

const data = '/data';
/** As microk8s has it; the other tests have the usual one. */
const kubeletRoot = '/var/snap/microk8s/common/var/lib/kubelet';
const command = ['/bin/io-app', '--interval=100ms', '--name=app', data];

interface Attempt {
  readonly n: number;
  readonly ok: boolean;
  readonly errno?: string;
}

interface Call {
  readonly method: string;
  readonly code: string;
  readonly request: Record<string, unknown>;
}

describe('the CSI driver of the tests under a real kubelet', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let node: ClusterNode;
  let fuse: DeployedDriver;
  let bind: DeployedDriver;

  before(async function () {
    this.timeout(900_000); // the first start builds Kubernetes
    cluster = await startCluster({ nodes: 1, kubeletRoot }, () => {});
    node = cluster.node('node-1');
    fuse = await deployDriver(cluster, {
      name: 'fuse.csi.test',
      mode: 'fuse-s3',
      driverArgs: ['--staging'],
      csiDriver: { podInfoOnMount: true }, // else kubelet does not say that a volume is inline
    });
    bind = await deployDriver(cluster, { name: 'bind.csi.test', mode: 'bind' });
    await Promise.all([fuse.waitRegistered(), bind.waitRegistered()]);
  });

  after(() => cluster?.stop());

  /** The requests about a volume that the driver got from kubelet. */
  const calls = (driver: DeployedDriver, handle: string): Call[] =>
    readFileSync(
      node.hostPath(`${driver.pluginFolder}/record/${driver.spec.name}-${node.name}.jsonl`),
      'utf8',
    )
      .trim()
      .split('\n')
      .map((line): Call => JSON.parse(line))
      .filter(({ request }) => request.volumeId === handle);

  const control = (driver: DeployedDriver, fault: string) =>
    node.hostPath(`${driver.pluginFolder}/control/${fault}`);

  const fuseMounts = async () => {
    const { stdout } = await node.run(['cat', '/proc/self/mountinfo']);
    return stdout.split('\n').filter((line) => line.includes('fuse.csi-fuse'));
  };

  /** kubelet does so after the pod has gone. */
  const waitUnmounted = () =>
    waitUntil('kubelet to unpublish and unstage', async () => (await fuseMounts()).length === 0, {
      describe: async () => (await fuseMounts()).join('\n'),
    });

  const start = async (spec: Omit<AppSpec, 'node' | 'command'>) => {
    const app = await deployApp(cluster, { node: node.name, command, ...spec });
    const last = async (): Promise<Attempt> => JSON.parse(await app.lastLine());
    const waitLast = (what: string, wanted: (attempt: Attempt) => boolean) =>
      waitUntil(what, async () => wanted(await last()), {
        timeoutMs: 30_000,
        describe: () => app.lastLine(),
      });
    return { ...app, last, waitLast };
  };

  it('serves a volume over FUSE, and what an app writes is in S3', async () => {
    const app = await start({ name: 'writer', driver: fuse.spec.name });
    await app.waitReady();
    await app.waitLast('the app to write', ({ n, ok }) => ok && n > 5);
    const { n } = await app.last();
    const written = (await cluster.s3.read('writer/app.log'))?.trim().split('\n').map(Number) ?? [];
    assert.deepEqual(
      written.slice(0, n),
      Array.from({ length: n }, (_, index) => index + 1),
    );
    const seen = calls(fuse, 'writer').map(({ method, code }) => `${method} ${code}`);
    assert.deepEqual(seen, ['NodeStageVolume OK', 'NodePublishVolume OK']);
    await app.remove();
  });

  it('leaves dead mounts when its pod goes, and repairs nothing by itself', async () => {
    const app = await start({ name: 'victim', driver: fuse.spec.name });
    await app.waitReady();
    await app.waitLast('the app to write', ({ ok }) => ok);
    const pod = await fuse.podOn(node);
    assert.ok(pod);
    await cluster.kubectl(['delete', 'pod', '-n', fuse.spec.namespace, pod, '--wait=true']);
    await app.waitLast('the mount to be dead', ({ errno }) => errno === 'ENOTCONN');
    await waitUntil(
      'another node plugin pod',
      async () => ![undefined, pod].includes(await fuse.podOn(node)),
    );
    await fuse.waitRegistered();
    await app.waitLast('the mount to stay dead', ({ errno }) => errno === 'ENOTCONN');
    assert.match((await cluster.s3.read('victim/app.log')) ?? '', /^1\n/);
    await app.remove();
    await waitUnmounted();
  });

  it('binds folders where it is of that class', async () => {
    const app = await start({ name: 'bound', driver: bind.spec.name });
    await app.waitReady();
    await app.waitLast('the app to write', ({ ok }) => ok);
    assert.match(readFileSync(node.hostPath(`${bind.pluginFolder}/data/bound/app.log`), 'utf8'), /^1\n/);
    assert.deepEqual(
      calls(bind, 'bound').map(({ method }) => method),
      ['NodePublishVolume'],
    );
    await app.remove();
  });

  it('serves an inline volume without staging it', async () => {
    const csi = { driver: fuse.spec.name, volumeAttributes: { attrTimeout: '5s' } };
    const app = await start({
      name: 'inline',
      driver: fuse.spec.name,
      pod: { volumes: [{ name: 'volume', csi }] },
    });
    await app.waitReady();
    await app.waitLast('the app to write', ({ ok }) => ok);
    await app.remove();
    await waitUnmounted();
  });

  it('fails on request, and works again without a restart', async () => {
    mkdirSync(control(bind, '.'), { recursive: true });
    writeFileSync(control(bind, 'publish-fails'), 'the backend is down');
    const app = await start({ name: 'refused', driver: bind.spec.name });
    await waitUntil('the failure', async () =>
      calls(bind, 'refused').some(({ code }) => code === 'Internal'),
    );
    rmSync(control(bind, 'publish-fails'));
    await app.waitReady();
    await app.remove();
  });
});
