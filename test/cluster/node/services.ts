import type { NodeFiles } from './files.ts';

/** The files of a supervisor's services, by their path on the node. */
export interface Services {
  readonly files: Readonly<Record<string, string>>;
  readonly mode: number;
}

/** Where a node finds a runtime that is not the machine's. */
export const runtimeFolder = '/opt/runtime';
/** Shim and runc are looked for on PATH too. */
export const containerdCommand = `env PATH=${runtimeFolder}:/usr/sbin:/usr/bin:/sbin:/bin containerd --log-level info`;
export const containerdLog = '/var/log/containerd.log';
export const kubeletLog = '/var/log/kubelet.log';
/** kubelet ends when it finds no container runtime: it is started when there is one. */
export const waitForRuntime = 'until ctr version >/dev/null 2>&1; do sleep 0.1; done';

export function kubeletCommand({ name, address, kubeletRoot }: NodeFiles): string {
  return [
    '/opt/kube/kubelet',
    '--config=/etc/kubernetes/kubelet.yaml',
    '--kubeconfig=/etc/kubernetes/kubelet.kubeconfig',
    `--root-dir=${kubeletRoot}`,
    `--hostname-override=${name}`,
    `--node-ip=${address}`,
    '-v=2',
  ].join(' ');
}
