import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeFiles } from './files.ts';
import {
  containerdCommand,
  containerdLog,
  kubeletCommand,
  kubeletLog,
  type Services,
  waitForRuntime,
} from './services.ts';

/** The variable tells systemd that it is in a container: then it leaves the machine's kernel settings alone. */
export const systemd = [
  'env',
  'container=test',
  '/lib/systemd/systemd',
  '--log-target=null',
  '--show-status=no',
];

export function systemdServices(node: NodeFiles): Services {
  return {
    mode: 0o644,
    files: {
      'etc/systemd/system/default.target': target,
      'etc/systemd/system/containerd.service': service(
        'container runtime',
        '',
        containerdCommand,
        containerdLog,
      ),
      'etc/systemd/system/kubelet.service': service(
        'kubelet',
        waitForRuntime,
        kubeletCommand(node),
        kubeletLog,
      ),
    },
  };
}

const target = `[Unit]
Description=a node of the test cluster
DefaultDependencies=no
Wants=containerd.service kubelet.service
`;

/** KillMode as containerd and kubelet have it on real nodes: their containers and mounts outlive them. */
const service = (description: string, before: string, command: string, log: string) => `[Unit]
Description=${description}
DefaultDependencies=no
StartLimitIntervalSec=0

[Service]
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
${before && `ExecStartPre=/bin/sh -c '${before}'\n`}ExecStart=${/^[/]/.test(command) ? '' : '/usr/bin/'}${command}
StandardOutput=append:${log}
StandardError=inherit
Restart=always
RestartSec=1
KillMode=process
Delegate=yes
`;

const bootTargets = ['sysinit', 'local-fs', 'sockets', 'timers', 'basic'];

/** What systemd does when a machine boots (udev, sysctl, device nodes) would be done to this machine. */
export function maskBootUnits(root: string): void {
  const units = bootTargets.flatMap((name) => list(`/usr/lib/systemd/system/${name}.target.wants`));
  const folder = join(root, 'etc/systemd/system');
  mkdirSync(folder, { recursive: true });
  for (const unit of new Set(units)) symlinkSync('/dev/null', join(folder, unit));
}

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
