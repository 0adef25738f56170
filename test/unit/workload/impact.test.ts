import assert from 'node:assert/strict';
import type { DaemonEvidence, FuseDaemon } from '../../../src/model/daemons.ts';
import type { KubeletProcess } from '../../../src/model/evidence.ts';
import type { ContainerImpact, Home, Service, Trigger } from '../../../src/model/impact.ts';
import type { ObservedMount } from '../../../src/model/mounts.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { fateOf } from '../../../src/workload/impact/fate.ts';
import { diesWithKubelet, homeOf, type Surroundings } from '../../../src/workload/impact/home.ts';
import { protectionOf } from '../../../src/workload/impact/protection.ts';
import { serviceOf } from '../../../src/workload/impact/service.ts';
import { looksAt, type PodFacts } from '../../../src/workload/pods.ts';

const id = (letter: string) => letter.repeat(64);
const plugin = { namespace: 'kube-system', name: 'csi-node' };
const mounter = { namespace: 'kube-system', name: 'mounter' };
const app = { namespace: 'default', name: 'app' };

const pod = (key: PodFacts['key'], containerId: string): PodFacts => ({
  key,
  labels: {},
  containers: [{ name: 'c', containerId, probe: [] }],
});

const kubelet = (cgroup: string, command = 'kubelet') =>
  seen({
    pid: 7,
    command,
    parent: { pid: 1, command: 'systemd' },
    cgroups: [cgroup],
  } as unknown as KubeletProcess);

const around: Surroundings = {
  pods: seen([pod(plugin, id('a')), pod(mounter, id('b')), pod(app, id('c'))]),
  plugins: [plugin],
  kubelet: kubelet('0::/system.slice/kubelet.service'),
};

const daemon = (parts: Partial<FuseDaemon> = {}): FuseDaemon => ({
  pid: 42,
  startTicks: '1',
  parent: 1,
  command: 'geesefs',
  cgroups: [],
  hostPids: true,
  named: [],
  ...parts,
});
const inPlugin = { containerId: id('a') };

describe('where a FUSE daemon lives', () => {
  const homes: readonly [string, Partial<FuseDaemon>, Partial<Home>][] = [
    ["the node plugin's container", inPlugin, { kind: 'plugin', pod: plugin, container: 'c' }],
    ['a pod that mounts for others', { containerId: id('b') }, { kind: 'pod', pod: mounter }],
    ['a container of no pod', { containerId: id('f') }, { kind: 'unknown' }],
    [
      "a container's cgroup, though its PID namespace is the host's",
      { ...inPlugin, hostPids: true, cgroups: ['0::/kubepods/x'] },
      { kind: 'plugin' },
    ],
    [
      'a unit of its own',
      { cgroups: ['0::/system.slice/geesefs-x.service'] },
      { kind: 'unit', unit: 'geesefs-x.service' },
    ],
    [
      "a unit behind the cgroup namespace's root",
      { cgroups: ['12:pids:/a', '1:name=systemd:/../../system.slice/s3fs.scope'] },
      { kind: 'unit', unit: 's3fs.scope' },
    ],
    [
      "a user's unit",
      { cgroups: ['0::/user.slice/user-0.slice/user@0.service/app.slice/run-r1.scope'] },
      { kind: 'unit', unit: 'run-r1.scope' },
    ],
    ["kubelet's own unit", { cgroups: ['0::/system.slice/kubelet.service'] }, { kind: 'kubelet' }],
    ['no unit', { cgroups: ['0::/'] }, { kind: 'process' }],
    ['the scope of PID 1', { cgroups: ['0::/init.scope'] }, { kind: 'process' }],
    ['another PID namespace', { hostPids: false, cgroups: ['0::/x'] }, { kind: 'unknown' }],
  ];
  for (const [what, parts, expected] of homes)
    it(`is ${what}`, () => {
      const home = homeOf(daemon(parts), around);
      assert.deepEqual({ ...home, ...expected }, home);
    });

  it('is not known when pods could not be read', () => {
    const home = homeOf(daemon(inPlugin), { ...around, pods: unseen('forbidden') });
    assert.deepEqual(home, { kind: 'unknown', why: 'forbidden' });
  });
});

const mount = (parts: Partial<ObservedMount> = {}) =>
  ({ device: '0:50', fsType: 'fuse.geesefs', source: 'bucket', state: 'alive', ...parts }) as ObservedMount;
const evidence = (...daemons: readonly FuseDaemon[]): DaemonEvidence => ({ daemons, unreadable: 0 });

describe('who serves a mount', () => {
  const serve = (found: DaemonEvidence, parts: Partial<ObservedMount> = {}) =>
    serviceOf(mount(parts), seen(found), around);
  const words = (service: Service) =>
    service.by === 'daemons' ? service.daemons.map(({ pid, proof }) => `${pid} ${proof}`).join() : service.by;

  it("is the process that the kernel names, whatever others' command lines say", () => {
    const found = evidence(daemon({ device: '0:50' }), daemon({ pid: 43, device: '0:51', named: ['0:50'] }));
    assert.equal(words(serve(found)), '42 kernel');
  });

  it('is every process that holds the connection', () => {
    const found = evidence(daemon({ device: '0:50' }), daemon({ pid: 43, device: '0:50' }));
    assert.equal(words(serve(found)), '42 kernel,43 kernel');
  });

  it('is not guessed where the kernel tells', () => {
    assert.equal(words(serve(evidence(daemon({ device: '0:51', ...inPlugin })))), 'unknown');
  });

  it('is inferred on older kernels: by the command line, else by the only home', () => {
    assert.equal(words(serve(evidence(daemon({ named: ['0:50'] }), daemon({ pid: 43 })))), '42 command-line');
    assert.equal(
      words(serve(evidence(daemon(inPlugin), daemon({ pid: 43, ...inPlugin })))),
      '42 only-home,43 only-home',
    );
    assert.equal(words(serve(evidence(daemon(inPlugin), daemon({ pid: 43 })))), 'unknown');
    assert.equal(words(serve(evidence(daemon({ ...inPlugin, named: ['0:51'] })))), 'unknown');
  });

  it('is not inferred while processes could not be looked into', () => {
    const service = serve({ ...evidence(daemon(inPlugin)), unreadable: 2 });
    assert.match(
      service.by === 'unknown' ? service.why : '',
      /2 processes of the node could not be looked into/,
    );
  });

  it('is nobody once it is dead', () => assert.equal(words(serve(evidence(), { state: 'dead' })), 'nobody'));
  it('is not known where nobody asked', () => {
    assert.equal(words(serviceOf(mount(), unseen('not asked'), around)), 'unknown');
  });

  const kernel: readonly [string, string, Service['by']][] = [
    ['ext4', '/dev/sda1', 'kernel'],
    ['nfs4', 'server.example.com:/export', 'kernel'],
    ['nfs4', '127.0.0.1:/', 'unknown'],
    ['nfs4', 'localhost:/', 'unknown'],
    ['cifs', '//127.0.0.1/share', 'unknown'],
    ['ext4', '/dev/nbd0', 'unknown'],
    ['xfs', '/dev/ublkb1', 'unknown'],
    ['virtiofs', 'share', 'kernel'],
  ];
  for (const [fsType, source, by] of kernel)
    it(`of ${fsType} from ${source} is ${by}`, () => {
      assert.equal(serve(evidence(), { fsType, source }).by, by);
    });
});

const served = (...homes: readonly Home[]): Service => ({
  by: 'daemons',
  fsType: 'fuse',
  daemons: homes.map((home, pid) => ({ pid, command: 'd', home, proof: 'kernel' })),
});
const homes = {
  plugin: { kind: 'plugin', pod: plugin, container: 'c' },
  mounter: { kind: 'pod', pod: mounter, container: 'c' },
  sidecar: { kind: 'pod', pod: app, container: 'side' },
  unit: { kind: 'unit', unit: 'x.service' },
  kubelet: { kind: 'kubelet', unit: 'kubelet.service' },
  process: { kind: 'process' },
  unknown: { kind: 'unknown', why: 'x' },
} as const satisfies Record<string, Home>;

describe('what becomes of a volume', () => {
  const restart: Trigger = { kind: 'pods', pods: new Set(['kube-system/csi-node']) };
  const kernel: Service = { by: 'kernel', fsType: 'ext4' };
  const blind: Service = { by: 'unknown', why: 'x' };
  const fates: readonly [string, readonly Service[], Trigger, string][] = [
    ['in the node plugin', [served(homes.plugin)], restart, 'dies'],
    ['in the node plugin', [served(homes.plugin)], { kind: 'kubelet' }, 'survives'],
    ['in another pod', [served(homes.mounter)], restart, 'survives'],
    ['in a unit', [served(homes.unit)], restart, 'survives'],
    ["in kubelet's unit", [served(homes.kubelet)], { kind: 'kubelet' }, 'dies'],
    ["in kubelet's unit", [served(homes.kubelet)], restart, 'survives'],
    ['somewhere', [served(homes.unknown)], restart, 'unknown'],
    ['in the node plugin and held by the node', [served(homes.plugin, homes.process)], restart, 'survives'],
    ['in the node plugin and held from somewhere', [served(homes.plugin, homes.unknown)], restart, 'unknown'],
    ['in the kernel', [kernel], restart, 'survives'],
    ['on no mount', [], restart, 'survives'],
    ['by nobody', [{ by: 'nobody', fsType: 'fuse' }], restart, 'dead'],
    ['in the kernel, and in a container by what is not known', [kernel, blind], restart, 'unknown'],
    ['by what is not known, and in the node plugin', [blind, served(homes.plugin)], restart, 'dies'],
  ];
  for (const [where, services, trigger, fate] of fates)
    it(`served ${where}: ${fate} with ${trigger.kind === 'kubelet' ? 'kubelet' : 'the plugin'}`, () => {
      assert.equal(fateOf(services, trigger, true), fate);
    });

  it("is not known of kubelet's unit where a distribution has its own KillMode", () => {
    assert.equal(diesWithKubelet({ kubelet: kubelet('0::/system.slice/kubelet.service') }), true);
    assert.equal(
      diesWithKubelet({ kubelet: kubelet('0::/system.slice/k3s.service', 'k3s-server') }),
      undefined,
    );
    assert.equal(fateOf([served(homes.kubelet)], { kind: 'kubelet' }, undefined), 'unknown');
  });
});

describe('what protects a volume', () => {
  const container = (parts: Partial<ContainerImpact> = {}): ContainerImpact => ({
    container: 'app',
    path: '/data',
    propagation: 'None',
    probed: false,
    ...parts,
  });
  const kind = (
    ...[home, fate, ...containers]: [Home, 'dies' | 'survives' | 'unknown', ...ContainerImpact[]]
  ) => protectionOf(app, [served(home)], containers, fate).kind;

  it('is where its daemon lives', () => {
    assert.equal(kind(homes.sidecar, 'survives', container()), 'sidecar');
    assert.equal(kind(homes.mounter, 'survives', container()), 'mount-pod');
    assert.equal(kind(homes.unit, 'survives', container()), 'unit');
    assert.equal(kind(homes.process, 'survives', container()), 'process');
  });

  it('is only what every container has, when it dies', () => {
    const slave = container({ propagation: 'HostToContainer' });
    assert.equal(kind(homes.plugin, 'dies', slave), 'propagation');
    assert.equal(kind(homes.plugin, 'dies', slave, container()), 'nothing');
    assert.equal(kind(homes.plugin, 'dies', container({ probed: true })), 'probe');
    assert.equal(kind(homes.plugin, 'dies'), 'nothing');
  });

  it('is never claimed of what is not known', () => {
    assert.equal(kind(homes.unknown, 'unknown', container({ propagation: 'HostToContainer' })), 'unknown');
  });
});

describe('a liveness probe', () => {
  const cases: readonly [readonly string[], string, boolean][] = [
    [['stat', '-f', '/data'], '/data', true],
    [['sh', '-c', 'timeout 2 ls /data/sub >/dev/null'], '/data', true],
    [['cat', '--file=/data/x'], '/data', true],
    [['ls', '/database'], '/data', false],
    [['true'], '/data', false],
  ];
  for (const [probe, path, expected] of cases)
    it(`${probe.join(' ')} ${expected ? 'looks' : 'does not look'} at ${path}`, () => {
      assert.equal(looksAt(probe, path), expected);
    });
});
