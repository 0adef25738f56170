import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterNode } from '../node/node.ts';
import { waitUntil } from '../wait.ts';
import { onNode, replaceSocket, waitPluginReady } from './actions.ts';
import { defineIncident, type Scene } from './define.ts';

/** With the nodes' configuration kubelet 1.34 runs with this many, and has none left for plugins_registry. */
const instancesLeft = 5;

const holder = '/etc/service/hold-inotify';
const kubelet = '/etc/service/kubelet';

/** Instances are counted by user: with a user of its own for kubelet, nobody else on this machine runs short. */
export default defineIncident({
  id: 'no-watch',
  title: 'kubelet could not watch plugins_registry: no inotify instance was left',
  cause: async (scene) => {
    const { node } = scene;
    if (node.supervisor !== 'runit')
      throw new Error(`no-watch needs a node under runit, and ${node.name} is not`);
    await holdInstances(scene);
    await onNode(node, 'cp', `${kubelet}/run`, `${kubelet}/run.before`);
    await onNode(node, 'sed', '-i', `s|^exec |exec ${asOwnUser(node)} |`, `${kubelet}/run`);
    await replaceSocket(scene, () => node.restartKubelet());
  },
  restore: async (scene) => {
    const { node, driver } = scene;
    await node.run(['sv', 'force-stop', holder]);
    await node.run(['rm', '-rf', holder]);
    await node.run(['mv', `${kubelet}/run.before`, `${kubelet}/run`]);
    await node.restartKubelet();
    await waitPluginReady(scene);
    await driver.waitRegistered([node]);
  },
});

function asOwnUser({ address }: ClusterNode): string {
  const [, , slot, host] = address.split('.').map(Number);
  const user = 64_000 + (((slot ?? 0) * 10 + (host ?? 0)) % 1_000);
  return `setpriv --reuid=${user} --inh-caps=+all,-sys_resource --ambient-caps=+all,-sys_resource`;
}

async function holdInstances({ cluster, node }: Scene): Promise<void> {
  const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'));
  await onNode(node, 'mkdir', '-p', holder);
  copyFileSync(join(cluster.helpers, 'hold-inotify'), node.hostPath(`${holder}/hold-inotify`));
  const run = `#!/bin/sh\nexec ${asOwnUser(node)} ./hold-inotify ${limit - instancesLeft} >held\n`;
  await onNode(
    node,
    'sh',
    '-c',
    'printf %s "$1" >"$0/new"; chmod 755 "$0/new"; mv "$0/new" "$0/run"',
    holder,
    run,
  );
  const held = async () => (await node.run(['test', '-s', `${holder}/held`])).code === 0;
  await waitUntil('the inotify instances to be held', held);
}
