import type { V1CSINode } from '@kubernetes/client-node';
import type { Api } from '../../../src/cluster/api.ts';
import type { Wire } from '../../../src/kubelet/wire.ts';
import { type Cluster, type DeployedDriver, openDriver, waitUntil } from '../../cluster/index.ts';
import { driverObjects } from '../../cluster/manifests/driver.ts';
import { createAll, type KubernetesObject } from './create.ts';
import { type DriverClass, driverSpec } from './drivers.ts';

/** Deploys node plugins and CSIDrivers, but none for the class `undeclared`, and waits until kubelet knows them. */
export async function deployDrivers(
  cluster: Cluster,
  api: Api,
  classes: ReadonlySet<DriverClass>,
): Promise<ReadonlyMap<DriverClass, DeployedDriver>> {
  const drivers = new Map([...classes].map((name) => [name, openDriver(cluster, driverSpec(name))]));
  const objects = [...drivers].flatMap(([name, { spec }]) =>
    (driverObjects(spec) as readonly KubernetesObject[]).filter(
      ({ kind }) => kind === 'DaemonSet' || (kind === 'CSIDriver' && name !== 'undeclared'),
    ),
  );
  await createAll(api, objects);
  const path = `/apis/storage.k8s.io/v1/csinodes/${cluster.nodes[0]?.name}`;
  const registered = async () => {
    const { spec } = await api.get<Wire<V1CSINode>>(path);
    return spec.drivers.map(({ name }) => name);
  };
  await waitUntil('all drivers to register', async () => (await registered()).length === drivers.size, {
    timeoutMs: 300_000,
    intervalMs: 1_000,
    describe: async () => `CSINode lists ${(await registered()).join(', ')}`,
  });
  return drivers;
}
