import { deployDriver } from '../deploy.ts';
import { onNode, waitUnregistered } from './actions.ts';
import { defineIncident } from './define.ts';

/** As with a manifest for another distribution: everything runs, and its socket lies where nobody looks. */
const otherRoot = '/var/lib/other/kubelet';

/** The manifest is one for all nodes, so this befalls all of them. */
export default defineIncident({
  id: 'wrong-root',
  title: 'the driver is deployed for another kubelet root, on every node',
  cause: async ({ cluster, driver }) => {
    await deployDriver(cluster, { ...driver.spec, kubeletRoot: otherRoot });
    for (const node of cluster.nodes) await waitUnregistered({ cluster, node, driver });
  },
  restore: async ({ cluster, driver }) => {
    await deployDriver(cluster, driver.spec);
    await driver.waitRegistered();
    for (const node of cluster.nodes) await onNode(node, 'rm', '-rf', '--one-file-system', '/var/lib/other');
  },
});
