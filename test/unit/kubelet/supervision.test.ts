import assert from 'node:assert/strict';
import { supervisionOf } from '../../../src/kubelet/supervision.ts';
import type { KubeletProcess } from '../../../src/model/evidence.ts';

interface Given {
  readonly command?: string;
  readonly parent?: string;
  readonly parentPid?: number;
  readonly cgroups?: readonly string[];
}

const kubelet = ({
  command = 'kubelet',
  parent = '',
  parentPid = 7,
  cgroups = [],
}: Given): KubeletProcess => ({
  pid: 42,
  startTicks: '1',
  startedAt: '2026-01-02T03:04:05Z',
  command,
  argv: [],
  uid: 0,
  parent: { pid: parentPid, command: parent },
  cgroups,
});

const bySystemd = { parent: 'systemd', parentPid: 1 };

const table: readonly (readonly [string, Given, object])[] = [
  [
    'a unit on cgroup v2',
    { ...bySystemd, cgroups: ['0::/system.slice/kubelet.service'] },
    { kind: 'unit', unit: 'kubelet.service' },
  ],
  [
    'a unit on cgroup v1',
    { ...bySystemd, cgroups: ['4:memory:/', '1:name=systemd:/system.slice/snap.kubelet.daemon.service'] },
    { kind: 'unit', unit: 'snap.kubelet.daemon.service' },
  ],
  [
    'the unit of a shell that started it by hand is no supervisor',
    { parent: 'bash', cgroups: ['0::/system.slice/ssh.service'] },
    { kind: 'none', why: 'its parent is bash (pid 7)' },
  ],
  ['runit', { parent: 'runsv' }, { kind: 'process', supervisor: 'runsv' }],
  [
    'a container runtime, its name cut to 15 characters',
    { parent: 'containerd-shim' },
    { kind: 'process', supervisor: 'containerd-shim' },
  ],
  [
    'a name cut by the kernel',
    { parent: 'supervise-daemo' },
    { kind: 'process', supervisor: 'supervise-daemo' },
  ],
  [
    'k3s carries a control plane, unit or not',
    { command: 'k3s-server', ...bySystemd, cgroups: ['0::/system.slice/k3s.service'] },
    { kind: 'embedded', distribution: 'k3s' },
  ],
  ['microk8s', { command: 'kubelite' }, { kind: 'embedded', distribution: 'microk8s' }],
  ['a child of k0s', { parent: 'k0s' }, { kind: 'embedded', distribution: 'k0s' }],
  ['a child of rke2', { parent: 'rke2' }, { kind: 'embedded', distribution: 'rke2' }],
  ['a parent without a name', {}, { kind: 'none', why: 'its parent is unknown (pid 7)' }],
  [
    'PID 1 without a unit',
    { parent: 'init', parentPid: 1, cgroups: ['0::/'] },
    { kind: 'none', why: 'its parent is init (pid 1)' },
  ],
];

describe('what starts kubelet again', () => {
  for (const [what, given, expected] of table)
    it(what, () => {
      assert.deepEqual(supervisionOf(kubelet(given)), expected);
    });
});
