import { waitPodReady } from '../deploy.ts';
import { waitUntil } from '../wait.ts';
import { onNode } from './actions.ts';
import type { Scene } from './define.ts';

interface Pod {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: object };
  readonly spec: {
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
}

interface Volume {
  readonly spec: {
    readonly csi?: { readonly driver: string };
    readonly claimRef?: { readonly namespace: string; readonly name: string };
  };
}

/**
 * Makes the pods on the driver's volumes anew. Between the end of the last and the start of the first, kubelet
 * unstages: it would hand a dead staged volume to a pod that comes at once.
 */
export async function recreateApps(scene: Scene): Promise<void> {
  const { cluster } = scene;
  const pods = await podsOnVolumes(scene);
  for (const { metadata } of pods) {
    await cluster.kubectl(['delete', 'pod', '-n', metadata.namespace, metadata.name, '--timeout=60s']);
  }
  await waitUnstaged(scene);
  await cluster.apply(pods.map(withoutIdentity));
  await Promise.all(pods.map(({ metadata }) => waitPodReady(cluster, metadata.namespace, metadata.name)));
}

async function podsOnVolumes({ cluster, node, driver }: Scene): Promise<Pod[]> {
  const volumes = await cluster.kubectlJson<{ items: Volume[] }>(['get', 'persistentvolumes']);
  const ours = volumes.items.filter(({ spec }) => spec.csi?.driver === driver.spec.name);
  const claims = new Set(ours.map(({ spec }) => `${spec.claimRef?.namespace}/${spec.claimRef?.name}`));
  const query = ['get', 'pods', '-A', `--field-selector=spec.nodeName=${node.name}`];
  const pods = await cluster.kubectlJson<{ items: Pod[] }>(query);
  return pods.items.filter(({ metadata, spec }) =>
    spec.volumes?.some((volume) =>
      claims.has(`${metadata.namespace}/${volume.persistentVolumeClaim?.claimName}`),
    ),
  );
}

function waitUnstaged({ node, driver }: Scene): Promise<void> {
  const staged = `/plugins/kubernetes.io/csi/${driver.spec.name}/`;
  const gone = async () => !(await onNode(node, 'cat', '/proc/1/mountinfo')).includes(staged);
  return waitUntil(`the volumes of ${driver.spec.name} to be unstaged`, gone, { timeoutMs: 90_000 });
}

const withoutIdentity = ({ apiVersion, kind, metadata, spec }: Pod) => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, namespace: metadata.namespace, labels: metadata.labels ?? {} },
  spec,
});
