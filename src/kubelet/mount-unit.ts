import type { HostPath } from '../model/ids.ts';

/** systemd's name for the mount unit of a path: systemd.unit(5), "String escaping for inclusion in unit names". */
export const mountUnitName = (path: HostPath) =>
  `${path
    .slice(1)
    .replace(/[^A-Za-z0-9:_./]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('/', '-')}.mount`;

/** The agent replaces and removes unit files with this first line only. */
const marker = '# Managed by kubectl-csi';

/**
 * A mount unit that puts a tmpfs on the registry before kubelet starts.
 * @param kubeletUnit kubelet's own unit, such as `kubelet.service`
 */
export const mountUnit = (registry: HostPath, kubeletUnit: string) => `${marker}
[Unit]
Description=plugins_registry of kubelet on a file system of its own
Before=${kubeletUnit}

[Mount]
What=kubectl-csi
Where=${registry}
Type=tmpfs
Options=mode=0750,size=1m,nosuid,nodev,noexec

[Install]
RequiredBy=${kubeletUnit}
`;
