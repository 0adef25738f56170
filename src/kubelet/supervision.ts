import type { KubeletProcess } from '../model/evidence.ts';

/** What would bring kubelet back after its process ended. */
export type Supervision =
  | { readonly kind: 'unit'; readonly unit: string }
  | { readonly kind: 'process'; readonly supervisor: string }
  | { readonly kind: 'embedded'; readonly distribution: string }
  | { readonly kind: 'none'; readonly why: string };

/** Programs that are kubelet and more: ending one ends what else it runs, a control plane included. */
const embedding: Readonly<Record<string, string>> = {
  k3s: 'k3s',
  'k3s-server': 'k3s',
  'k3s-agent': 'k3s',
  kubelite: 'microk8s',
  k0s: 'k0s',
  rke2: 'rke2',
};

/** Programs whose one purpose is to start a process again when it ends. */
const supervisors: ReadonlySet<string> = new Set([
  'runsv',
  's6-supervise',
  'supervisord',
  'supervise-daemon',
  'monit',
  'containerd-shim-runc-v2',
  'containerd-shim',
  'conmon',
  'machined',
]);

/** `comm` holds 15 characters only (proc(5)), so both are cut to that length before they are compared. */
const commLength = 15;
const isOneOf = (command: string, names: Iterable<string>) =>
  [...names].some((name) => name.slice(0, commLength) === command.slice(0, commLength));

/** `/system.slice/kubelet.service` in a line of /proc/PID/cgroup, on cgroup v1 (`name=systemd`) and v2 alike. */
const unitPattern = /^[^:]*:(?:name=systemd)?:(?:\/[^/]+)*\/([^/]+\.service)$/;

const unitOf = (process: KubeletProcess) =>
  process.cgroups.map((line) => unitPattern.exec(line)?.[1]).find((unit) => unit !== undefined);

/**
 * How this kubelet may be restarted. `embedded` wins over everything: restarting the unit of k3s restarts the
 * API server with it.
 */
export function supervisionOf(process: KubeletProcess): Supervision {
  const distribution = embedding[process.command] ?? embedding[process.parent.command];
  if (distribution) return { kind: 'embedded', distribution };
  const unit = unitOf(process);
  if (unit && process.parent.pid === 1) return { kind: 'unit', unit };
  if (isOneOf(process.parent.command, supervisors))
    return { kind: 'process', supervisor: process.parent.command };
  return {
    kind: 'none',
    why: `its parent is ${process.parent.command || 'unknown'} (pid ${process.parent.pid})`,
  };
}
