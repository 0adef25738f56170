import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureModule } from '../../scripts/setup/go-binaries.mjs';
import type { BlastRadiusReport, UpgradeCheckReport } from '../../src/render/report.ts';
import {
  type Cluster,
  type ClusterNode,
  type DeployedDriver,
  deployApp,
  deployDriver,
  driverImage,
  startCluster,
  waitPodReady,
  waitUntil,
} from '../cluster/index.ts';
import { type AppSpec, appObjects, mountPath } from '../cluster/manifests/app.ts';
import { csi, csiJson } from './registration/support/csi.ts';

const fuse = 's3.csi.test';
const host = 'host.csi.test';
const dataFolder = `/var/lib/kubelet/plugins/${host}/data`;
const program = '/opt/csi-fuse';
const inNode = { node: 'node-1', namespace: 'default' };

/** A FUSE daemon that the node's own systemd runs, in a unit of its own. */
async function startUnit(node: ClusterNode, name: string): Promise<void> {
  const folder = `${dataFolder}/${name}`;
  const script = [
    `mkdir -p ${folder} /opt/objects/${name}`,
    `systemd-run --quiet --collect --unit=fuse-${name} ${program} --backend dir=/opt/objects/${name} ${folder}`,
    `until grep -q ' ${folder} .* fuse' /proc/self/mountinfo; do sleep 0.1; done`,
  ];
  const { code, stderr } = await node.run(['sh', '-ec', script.join('\n')]);
  assert.equal(code, 0, stderr);
}

/** A pod that serves a mount for others, as JuiceFS and mountpoint-s3 have it. */
const mountPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'mounter', namespace: 'csi' },
  spec: {
    nodeName: 'node-1',
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'mount',
        image: driverImage,
        imagePullPolicy: 'Never',
        command: [
          'sh',
          '-c',
          `mkdir -p /tmp/o ${dataFolder}/pod; exec csi-fuse --backend dir=/tmp/o ${dataFolder}/pod`,
        ],
        readinessProbe: {
          exec: { command: ['grep', '-q', `${dataFolder}/pod .* fuse`, '/proc/self/mountinfo'] },
          periodSeconds: 1,
        },
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'kubelet', mountPath: '/var/lib/kubelet', mountPropagation: 'Bidirectional' }],
      },
    ],
    volumes: [{ name: 'kubelet', hostPath: { path: '/var/lib/kubelet' } }],
  },
};

/** An app whose pod a Deployment makes. */
function deployment(app: AppSpec): readonly object[] {
  const [volume, claim, pod] = appObjects(app) as [object, object, { metadata: object; spec: object }];
  const matchLabels = { app: app.name };
  return [
    volume,
    claim,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: app.name, namespace: 'default' },
      spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels }, spec: pod.spec } },
    },
  ];
}

describe('blast-radius and upgrade-check', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let node: ClusterNode;
  let drivers: readonly DeployedDriver[];
  const apps = ['web', 'follows', 'unit', 'kubelet', 'pod', 'plain'];

  before(async function () {
    this.timeout(1_200_000);
    cluster = await startCluster({ nodes: 1, systemdNode: 0 }, console.error);
    node = cluster.node('node-1');
    const binary = join(
      await ensureModule(join(import.meta.dirname, '../cluster/driver'), console.error),
      'csi-fuse',
    );
    mkdirSync(node.hostPath('/opt'), { recursive: true });
    copyFileSync(binary, node.hostPath(program));
    await Promise.all([startUnit(node, 'unit'), startUnit(node, 'kubelet')]);
    await adopt('kubelet');
    drivers = await Promise.all([
      deployDriver(cluster, { name: fuse, mode: 'fuse-s3' }),
      deployDriver(cluster, { name: host, driverArgs: [`--data-dir=${dataFolder}`] }),
    ]);
    await cluster.apply([mountPod]);
    await Promise.all([
      ...drivers.map((driver) => driver.waitRegistered()),
      waitPodReady(cluster, 'csi', 'mounter'),
    ]);
    await cluster.apply([...deployment({ ...inNode, name: 'web', driver: fuse })]);
    const probe = { exec: { command: ['stat', '-f', mountPath] }, periodSeconds: 3_600 };
    const deployed = await Promise.all([
      deployApp(cluster, {
        ...inNode,
        name: 'follows',
        driver: fuse,
        mount: { mountPropagation: 'HostToContainer' },
        container: { livenessProbe: probe },
      }),
      ...['unit', 'kubelet', 'pod', 'plain'].map((name) =>
        deployApp(cluster, { ...inNode, name, driver: host }),
      ),
    ]);
    await Promise.all(deployed.map((app) => app.waitReady()));
    await cluster.kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  });

  after(async function () {
    this.timeout(120_000);
    await cluster?.stop();
  });

  /** Puts a daemon into kubelet's own cgroup, and lets systemd end with kubelet all that is in there. */
  async function adopt(name: string): Promise<void> {
    const folder = '/etc/systemd/system/kubelet.service.d';
    mkdirSync(node.hostPath(folder), { recursive: true });
    writeFileSync(
      node.hostPath(`${folder}/kill.conf`),
      '[Service]\nKillMode=control-group\nTimeoutStopSec=1\n',
    );
    const script = [
      'systemctl daemon-reload',
      `pid=$(systemctl show -p MainPID --value fuse-${name})`,
      "find /sys/fs/cgroup -path '*/kubelet.service/cgroup.procs' | while read -r file; do echo $pid > $file; done",
    ];
    const { code, stderr } = await node.run(['sh', '-ec', script.join('\n')]);
    assert.equal(code, 0, stderr);
  }

  const appOf = (pod: string) => apps.find((app) => pod === app || pod.startsWith(`${app}-`)) ?? pod;

  /** The apps that cannot read their volume. */
  async function dead(): Promise<readonly string[]> {
    const script = `stat -f ${mountPath} >/dev/null 2>&1 && echo alive || echo dead`;
    const found = await Promise.all(
      apps.map(async (app) => {
        const target = app === 'web' ? 'deployment/web' : app;
        const { stdout, stderr } = await cluster.kubectl(['exec', target, '--', 'sh', '-c', script]);
        assert.match(stdout, /^(alive|dead)$/m, stderr);
        return stdout.trim() === 'dead' ? [app] : [];
      }),
    );
    return found.flat().sort();
  }

  const radius = async (...args: readonly string[]) => {
    const { doc, code } = await csiJson<BlastRadiusReport>(cluster, ['blast-radius', ...args]);
    return { doc, code, of: new Map(doc.volumes.map((volume) => [appOf(volume.pod.name), volume])) };
  };
  const dying = ({ volumes }: BlastRadiusReport, fate: 'onPluginRestart' | 'onKubeletRestart') =>
    volumes
      .filter((volume) => volume[fate] === 'dies')
      .map(({ pod }) => appOf(pod.name))
      .sort();

  it('tells who serves which volume, where that lives, and what protects it', async () => {
    const { doc, code, of } = await radius();
    assert.equal(code, 0, JSON.stringify(doc, undefined, 1));
    assert.deepEqual([...of.keys()].sort(), [...apps].sort());
    const homes = [...of].map(
      ([
        app,
        {
          services: [service],
        },
      ]) => {
        if (service?.by !== 'daemons') return [app, service?.by];
        const { home, proof, command } = service.daemons[0] ?? assert.fail(`no daemon of ${app}`);
        assert.deepEqual([proof, command], ['kernel', 'csi-fuse']);
        return [app, 'unit' in home ? `${home.kind} ${home.unit}` : home.kind];
      },
    );
    assert.deepEqual(Object.fromEntries(homes), {
      web: 'plugin',
      follows: 'plugin',
      unit: 'unit fuse-unit.service',
      kubelet: 'kubelet kubelet.service',
      pod: 'pod',
      plain: 'kernel',
    });
    const protections = [...of].map(([app, { protection }]) => [app, protection.kind]);
    assert.deepEqual(Object.fromEntries(protections), {
      web: 'nothing',
      follows: 'propagation',
      unit: 'unit',
      kubelet: 'unit',
      pod: 'mount-pod',
      plain: 'no-daemon',
    });
    assert.equal(of.get('web')?.workload, 'Deployment/web');
    assert.equal(of.get('follows')?.containers[0]?.probed, true);
  });

  it('has pictures for people, and no other command has them', async () => {
    const [dot, html, name, status] = await Promise.all([
      csi(cluster, ['blast-radius', fuse, '-o', 'dot']),
      csi(cluster, ['blast-radius', fuse, '-o', 'html']),
      csi(cluster, ['blast-radius', fuse, '-o', 'name']),
      csi(cluster, ['status', '-o', 'dot']),
    ]);
    assert.match(dot.stdout, /^digraph .*Deployment\/web/s);
    assert.match(html.stdout, /<title>CSI blast radius<\/title>/);
    assert.equal(name.stdout.trim().split('\n').length, 2);
    assert.equal(status.code, 2);
    assert.match(status.stderr, /unknown output format "dot"/);
  });

  it('upgrade-check says before a rollout what it kills, and that a handover is possible', async () => {
    const args = ['upgrade-check', 'ds/s3-csi-test', '-n', 'csi'];
    const { doc, code } = await csiJson<UpgradeCheckReport>(cluster, args);
    assert.equal(code, 1);
    assert.equal(doc.verdict, 'kills');
    assert.deepEqual(doc.volumes.map(({ pod }) => appOf(pod.name)).sort(), ['follows', 'web']);
    assert.deepEqual([doc.nodes[0]?.revision, doc.nodes[0]?.toll.dies], ['current', 2]);
    assert.equal(doc.handover.possible, true, JSON.stringify(doc.handover));
    const table = await csi(cluster, args);
    assert.match(table.stdout, /KILLS A rollout of csi\/s3-csi-test kills 2 volumes of 2 pods on 1 node/);
  });

  it('upgrade-check lets a driver pass whose volumes live elsewhere', async () => {
    const { doc, code } = await csiJson<UpgradeCheckReport>(cluster, [
      'upgrade-check',
      'ds/host-csi-test',
      '-n',
      'csi',
    ]);
    assert.equal(code, 0);
    assert.equal(doc.verdict, 'safe');
    assert.equal(doc.nodes[0]?.toll.survives, 4);
  });

  it('upgrade-check sees pods of an older template, and refuses what is no DaemonSet', async () => {
    const patch = {
      spec: {
        updateStrategy: { type: 'OnDelete', rollingUpdate: null },
        template: { metadata: { annotations: { a: 'b' } } },
      },
    };
    await cluster.kubectl(['patch', 'daemonset', 's3-csi-test', '-n', 'csi', '-p', JSON.stringify(patch)]);
    const check = () =>
      csiJson<UpgradeCheckReport>(cluster, ['upgrade-check', 'ds/s3-csi-test', '-n', 'csi']);
    await waitUntil('the new revision', async () => (await check()).doc.nodes[0]?.revision === 'old');
    const { doc } = await check();
    assert.equal(doc.strategy.type, 'OnDelete');
    const wrong = await csi(cluster, ['upgrade-check', 'deploy/web']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /names no DaemonSet/);
    const absent = await csi(cluster, ['upgrade-check', 'ds/absent', '-n', 'csi']);
    assert.equal(absent.code, 2);
    assert.match(absent.stderr, /no DaemonSet "absent" in namespace csi/);
  });

  it('is right about what dies with kubelet', async () => {
    const { doc } = await radius();
    assert.deepEqual(await dead(), []);
    await node.run(['systemctl', 'restart', 'kubelet']);
    await waitUntil(
      'kubelet to answer',
      async () => (await cluster.kubectl(['exec', 'plain', '--', 'true'])).code === 0,
    );
    assert.deepEqual(await dead(), dying(doc, 'onKubeletRestart'));
    assert.deepEqual(dying(doc, 'onKubeletRestart'), ['kubelet']);
  });

  it('is right about what dies with the node plugins', async () => {
    const before = await radius();
    assert.equal(before.of.get('kubelet')?.onPluginRestart, 'dead');
    for (const driver of drivers) {
      const pod = await driver.podOn(node);
      await cluster.kubectl(['delete', 'pod', '-n', 'csi', String(pod)]);
    }
    await Promise.all(drivers.map((driver) => driver.waitRegistered()));
    assert.deepEqual(await dead(), [...dying(before.doc, 'onPluginRestart'), 'kubelet'].sort());
    assert.deepEqual(dying(before.doc, 'onPluginRestart'), ['follows', 'web']);
  });
});
