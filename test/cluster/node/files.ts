import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { containerdConfig, kubeletConfig } from './config.ts';
import { runitServices } from './runit.ts';
import { runtimeFolder } from './services.ts';
import { maskBootUnits, systemdServices } from './systemd.ts';

export type Supervisor = 'runit' | 'systemd';

export interface NodeFiles {
  /** The node's root folder. */
  readonly root: string;
  readonly name: string;
  readonly address: string;
  readonly index: number;
  readonly kubeletRoot: string;
  readonly kubeconfig: string;
  readonly clientCa: string;
  readonly supervisor: Supervisor;
  /** Folder of a containerd and runc that the node has instead of the machine's. */
  readonly runtime?: string | undefined;
  /** The cgroup that holds all of the node's processes. */
  readonly cgroup: string;
}

/** As kubelet sets them for the whole machine (pkg/kubelet/cm, `setupKernelTunables`). */
const tunables = {
  'vm.overcommit_memory': '1',
  'vm.panic_on_oom': '0',
  'kernel.panic': '10',
  'kernel.panic_on_oops': '1',
  'kernel.keys.root_maxkeys': '1000000',
  'kernel.keys.root_maxbytes': '25000000',
};

const folders = [
  'dev',
  'etc/alternatives',
  'etc/cni/net.d',
  'etc/containerd',
  'etc/kubernetes',
  'etc/ssl',
  'mnt',
  'opt/kube',
  'proc',
  'root',
  'run',
  'sys',
  'tmp',
  'usr',
  'var/lib',
  'var/log/pods',
  'var/log/containers',
  'var/tmp',
];

/** Lays out a node's root file system; node/init.sh binds the machine's /usr, /sys and /dev into it. */
export function writeNodeFiles(node: NodeFiles): void {
  for (const folder of [...folders, node.kubeletRoot])
    mkdirSync(join(node.root, folder), { recursive: true });
  for (const link of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${link}`, join(node.root, link));
  copyFileSync('/etc/ld.so.cache', join(node.root, 'etc/ld.so.cache'));
  const write = (file: string, content: string, mode = 0o644) => {
    mkdirSync(dirname(join(node.root, file)), { recursive: true });
    writeFileSync(join(node.root, file), content, { mode });
  };
  for (const [name, value] of Object.entries(tunables)) write(`etc/tunables/${name}`, `${value}\n`);
  write('etc/hostname', `${node.name}\n`);
  write('etc/hosts', `127.0.0.1 localhost\n${node.address} ${node.name}\n`);
  write('etc/machine-id', `${node.name.replaceAll(/[^0-9a-f]/g, '').padStart(32, '0')}\n`);
  write('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n');
  write('etc/group', 'root:x:0:\nnogroup:x:65534:\n');
  write('etc/resolv.conf', '');
  write('etc/containerd/config.toml', containerdConfig());
  write('etc/cni/net.d/10-bridge.conflist', cniConfig(node.index));
  write('etc/kubernetes/kubelet.yaml', kubeletConfig());
  copyFileSync(node.clientCa, join(node.root, 'etc/kubernetes/ca.crt'));
  copyFileSync(node.kubeconfig, join(node.root, 'etc/kubernetes/kubelet.kubeconfig'));
  const services = node.supervisor === 'systemd' ? systemdServices(node) : runitServices(node);
  for (const [file, content] of Object.entries(services.files)) write(file, content, services.mode);
  if (node.supervisor === 'systemd') maskBootUnits(node.root);
  if (node.runtime) cpSync(node.runtime, join(node.root, runtimeFolder), { recursive: true });
}

/** Pods of different nodes need not reach each other: the range is the node's own. */
function cniConfig(index: number): string {
  const ipam = {
    type: 'host-local',
    ranges: [[{ subnet: `10.244.${index}.0/24` }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, ipam };
  return JSON.stringify({ cniVersion: '0.4.0', name: 'pods', plugins: [bridge] });
}
