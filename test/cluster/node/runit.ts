import type { NodeFiles } from './files.ts';
import {
  containerdCommand,
  containerdLog,
  kubeletCommand,
  kubeletLog,
  type Services,
  waitForRuntime,
} from './services.ts';

export const runit = ['runsvdir', '-P', '/etc/service'];

/** runsv starts what ends again, after a second. */
export function runitServices(node: NodeFiles): Services {
  const script = (before: string, command: string, log: string) =>
    `#!/bin/sh\n${before}\nexec ${command} >>${log} 2>&1\n`;
  return {
    mode: 0o755,
    files: {
      'etc/service/containerd/run': script('', containerdCommand, containerdLog),
      'etc/service/kubelet/run': script(waitForRuntime, kubeletCommand(node), kubeletLog),
    },
  };
}
