import { type DeployedDriver, deployDriver, openDriver } from '../deploy.ts';
import type { DriverSpec } from '../manifests/driver.ts';
import { waitUntil } from '../wait.ts';
import { ensureRegistered, exists, onNode } from './actions.ts';
import { defineIncident } from './define.ts';

/** As with a second release of a chart: its own DaemonSet, folder and socket, and the first one's driver name. */
const copyOf = ({ spec }: DeployedDriver): DriverSpec => ({
  ...spec,
  daemonSet: `${spec.daemonSet}-copy`,
  folder: `${spec.name}-copy`,
  registrarArgs: [`--socket-name=${spec.name}-copy-reg.sock`],
});

const socketOfCopy = ({ registrySocket }: DeployedDriver) =>
  registrySocket.replace(/-reg\.sock$/, '-copy-reg.sock');

/** kubelet refuses the second one, whose registrar then ends and starts again and again, as node-driver-registrar does. */
export default defineIncident({
  id: 'duplicate-name',
  title: 'two drivers register under one name, on every node',
  cause: async ({ cluster, node, driver }) => {
    await deployDriver(cluster, copyOf(driver));
    await waitUntil('the second registration socket', () => exists(node, socketOfCopy(driver)));
  },
  restore: async ({ cluster, driver }) => {
    const copy = openDriver(cluster, copyOf(driver));
    await cluster.kubectl([
      'delete',
      'daemonset',
      '-n',
      copy.spec.namespace,
      copy.spec.daemonSet,
      '--ignore-not-found',
    ]);
    for (const node of cluster.nodes) {
      const gone = async () => (await copy.podOn(node)) === undefined;
      await waitUntil('the second driver to leave', gone, { timeoutMs: 90_000 });
      await onNode(node, 'rm', '-f', socketOfCopy(driver));
      await ensureRegistered({ cluster, node, driver });
    }
  },
});
