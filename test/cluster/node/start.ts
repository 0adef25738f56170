import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logFile } from '../control-plane/start.ts';
import { createCgroup } from '../host/cgroups.ts';
import { connect, type Network } from '../host/network.ts';
import { childrenOf, type ProcessId, startDaemon } from '../host/processes.ts';
import { waitFor } from '../wait.ts';
import { type NodeFiles, writeNodeFiles } from './files.ts';
import { type ClusterNode, openNode } from './node.ts';
import { runit } from './runit.ts';
import { systemd } from './systemd.ts';

export interface NodeStart extends NodeFiles {
  /** The cluster's folder. */
  readonly dir: string;
  /** Folder of the Kubernetes binaries. */
  readonly kube: string;
  readonly network: Network;
}

/** Starts a node in namespaces of its own, with containerd and kubelet under runit or systemd. */
export async function startNode(node: NodeStart): Promise<ClusterNode> {
  writeNodeFiles(node);
  const { name, address, root, kubeletRoot, cgroup, supervisor, network } = node;
  createCgroup(node.cgroup);
  const init = await startInit(node);
  await connect(network, node.index, init.pid);
  return openNode({ name, address, root, kubeletRoot, init, cgroup, supervisor });
}

async function startInit(node: NodeStart): Promise<ProcessId> {
  const script = fileURLToPath(new URL('init.sh', import.meta.url));
  const namespaces = ['--fork', '--kill-child', '--pid', '--mount', '--uts', '--ipc', '--net'];
  const args = [node.cgroup, node.root, `${node.address}/24`, node.network.gateway, node.kube];
  const log = logFile(node.dir, node.name);
  const supervisor = node.supervisor === 'systemd' ? systemd : runit;
  const unshare = startDaemon(
    node.dir,
    ['unshare', ...namespaces, 'sh', script, ...args, ...supervisor],
    log,
  );
  return waitFor(`the first process of ${node.name}`, async () => {
    const [init] = childrenOf(unshare.pid);
    return init === undefined ? { seen: `none; see ${log}` } : { done: init };
  });
}

export const rootOf = (dir: string, name: string) => join(dir, 'nodes', name);
