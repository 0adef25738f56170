import { type HostPath, hostPath } from '../model/ids.ts';

/** Kubelet's default `--root-dir` (cmd/kubelet/app/options). */
export const defaultRoot = hostPath('/var/lib/kubelet');

/**
 * Roots that distributions are known to use, asked when no running kubelet tells its own.
 * Each was read in a public report: microk8s (openebs/zfs-localpv#113), k0s (k0sproject/k0s#810), RKE (rook/rook#8791).
 */
export const knownRoots: readonly HostPath[] = [
  defaultRoot,
  hostPath('/var/snap/microk8s/common/var/lib/kubelet'),
  hostPath('/var/lib/k0s/kubelet'),
  hostPath('/opt/rke/var/lib/kubelet'),
  hostPath('/var/lib/rancher/k3s/agent/kubelet'),
];

/** The directory that kubelet's plugin watcher watches (pkg/kubelet/config/defaults.go, getPluginsRegistrationDir). */
export const registryOf = (root: HostPath) => hostPath(`${root}/plugins_registry`);

export const join = (folder: HostPath, name: string) => hostPath(`${folder}/${name}`);

export const isBelow = (path: string, folder: string) =>
  path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** `sizeof(sockaddr_un.sun_path)` less the final NUL: unix(7). */
export const longestSocketPath = 107;

/** Kubelet ignores names that begin with a dot (pkg/kubelet/pluginmanager/pluginwatcher, handleCreateEvent). */
export const isIgnoredName = (name: string) => name.split('/').some((part) => part.startsWith('.'));
