import assert from 'node:assert/strict';
import type { ClusterNode } from '../../../cluster/index.ts';

const targets = 'pods/*/volumes/kubernetes.io~csi/*/mount plugins/kubernetes.io/csi/*/*/globalmount';

/** A shell line, run where kubelet's root shows what lies below every mount on it; gone with its mount namespace. */
async function beneath(node: ClusterNode, line: string): Promise<readonly string[]> {
  const script = `mount --bind "$0" /mnt && cd /mnt && for path in ${targets}; do [ -d "$path" ] || continue; ${line}; done`;
  const { code, stdout, stderr } = await node.run(['unshare', '-m', 'sh', '-c', script, node.kubeletRoot]);
  if (code !== 0) throw new Error(`cannot look beneath the mounts of ${node.name}: ${stderr}`);
  return stdout.split('\n').filter(Boolean);
}

/** Files on the node's disk in the directories on which volumes are mounted. */
export const filesBeneath = (node: ClusterNode) => beneath(node, 'find "$path" -xdev -mindepth 1');

/** Removes a file from the bare directory of a volume, below the mount. */
export async function removeBeneath(node: ClusterNode, volume: string, file: string): Promise<void> {
  await beneath(node, `case "$path" in */${volume}/mount) rm -f "$path/${file}";; esac`);
}

/** Directories that a repair has left immutable. */
export const immutableBeneath = async (node: ClusterNode) =>
  (await beneath(node, 'lsattr -d "$path"')).filter((line) => /^\S*i\S* /.test(line));

export async function assertCleanDisk(node: ClusterNode): Promise<void> {
  assert.deepEqual(await filesBeneath(node), [], `files on the disk of ${node.name} below volumes`);
  assert.deepEqual(await immutableBeneath(node), [], `immutable directories on ${node.name}`);
}

/** Mounts of CSI volumes below kubelet's root, the lines of mountinfo. */
export async function csiMounts(node: ClusterNode): Promise<readonly string[]> {
  const { stdout } = await node.run(['cat', '/proc/1/mountinfo']);
  return stdout
    .split('\n')
    .filter((line) => /kubernetes\.io~csi|\/volume-subpaths\/|\/plugins\/kubernetes\.io\/csi\//.test(line));
}

/** Where kubelet mounts the volumes of a pod. */
export const targetsOf = async (node: ClusterNode, uid: string): Promise<readonly string[]> =>
  (await csiMounts(node)).flatMap((line) => {
    const path = line.split(' ')[4] ?? '';
    return path.includes(`/pods/${uid}/volumes/kubernetes.io~csi/`) ? path : [];
  });
