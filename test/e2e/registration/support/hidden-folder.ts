import type { ClusterNode } from '../../../cluster/index.ts';

/** Makes the folder below a mount over plugins_registry immutable (ext4's flag), or changeable again. */
export async function setHiddenImmutable(node: ClusterNode, immutable: boolean): Promise<void> {
  const script = `mkdir -p /run/beneath && mount --bind "$0" /run/beneath
chattr "$1" /run/beneath/plugins_registry; code=$?
umount /run/beneath && rmdir /run/beneath; exit $code`;
  const { code, stderr } = await node.run(['sh', '-c', script, node.kubeletRoot, immutable ? '+i' : '-i']);
  if (code !== 0) throw new Error(`cannot change the flags of the hidden folder: ${stderr}`);
}
