import { isLive } from '../../diagnose/mounts.ts';
import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import { specNameOf } from '../../diagnose/volumes.ts';
import { keyText } from '../../model/ids.ts';
import type { ContainerImpact, Service, Trigger, VolumeImpact } from '../../model/impact.ts';
import type { ObservedMount } from '../../model/mounts.ts';
import { mapSeen, type Observed, unseen, valueOr } from '../../model/observed.ts';
import type { VolumeUse } from '../../model/snapshot.ts';
import { workloadText } from '../../model/workload.ts';
import { type OwnerIndex, ownerOfUse, topOwner } from '../owners.ts';
import { looksAt, type PodFacts } from '../pods.ts';
import { fateOf } from './fate.ts';
import { diesWithKubelet, type Surroundings } from './home.ts';
import { protectionOf } from './protection.ts';
import { serviceOf } from './service.ts';

/** What the API server says of pods besides the snapshot. */
export interface Neighbourhood {
  /** All pods of the nodes in scope. */
  readonly pods: Observed<readonly PodFacts[]>;
  /** Unseen: the pods' direct owners have to do. */
  readonly owners: Observed<OwnerIndex>;
}

/** What would become of every CSI volume in use on a node. */
export function impactOn(node: NodeView, { pods, owners }: Neighbourhood): readonly VolumeImpact[] {
  const around: Surroundings = {
    pods: mapSeen(pods, (all) => all.filter((pod) => pod.node === node.node.name)),
    plugins: node.pluginPods.map(({ key }) => key),
    kubelet: node.evidence.seen ? node.evidence.value.kubelet : node.evidence,
  };
  return usesOn(node).map((use) => impactOf(use, node, around, owners));
}

const usesOn = ({ node, snapshot }: NodeView) =>
  valueOr(snapshot.volumeUses, []).filter((use) => use.node === node.name && isLive(use));

function impactOf(
  use: VolumeUse,
  node: NodeView,
  around: Surroundings,
  owners: Observed<OwnerIndex>,
): VolumeImpact {
  const services = servicesOf(use, node, around);
  const containers = containersOf(use, valueOr(around.pods, []));
  const restart: Trigger = { kind: 'pods', pods: new Set(around.plugins.map(keyText)) };
  const takes = diesWithKubelet(around);
  const onPluginRestart = fateOf(services, restart, takes);
  const owner = ownerOfUse(use);
  const workload = owners.seen ? topOwner(owner, owners.value) : owner;
  return {
    node: node.node.name,
    driver: use.driver,
    pod: use.pod,
    ...(workload && { workload: workloadText(workload) }),
    volume: use.claim?.name ?? use.volume,
    ...(use.volumeHandle !== undefined && { handle: use.volumeHandle }),
    services,
    containers,
    onPluginRestart,
    onKubeletRestart: fateOf(services, { kind: 'kubelet' }, takes),
    protection: protectionOf(use.pod, services, containers, onPluginRestart),
  };
}

function servicesOf(use: VolumeUse, node: NodeView, around: Surroundings): readonly Service[] {
  const { volumes, evidence } = node;
  if (!volumes.seen) return [{ by: 'unknown', why: volumes.why }];
  const view = volumes.value.find(
    ({ target }) => target.podUid === use.podUid && target.specName === specNameOf(use),
  );
  const mounts = view ? mountsOf(view) : [];
  if (view && mounts.length === 0 && view.target.state === 'unseen')
    return [{ by: 'unknown', why: `${view.target.path} could not be looked at` }];
  if (mounts.length === 0) return unmounted(use);
  const daemons =
    (evidence.seen && evidence.value.daemons) || unseen('nobody asked who serves the mounts of this node');
  return mounts.map((mount) => serviceOf(mount, daemons, around));
}

/**
 * A raw block device has no mount, and neither has a pod that waits for its volume. What runs may still hold a mount
 * that was not seen.
 */
function unmounted({ containers }: VolumeUse): readonly Service[] {
  const running = containers.some(({ containerId }) => containerId !== '');
  return running ? [{ by: 'unknown', why: 'its containers run, and no mount of the volume was found' }] : [];
}

/** The host's top layer and what containers have, each file system once. */
function mountsOf({ layers, containers }: VolumeView): readonly ObservedMount[] {
  const tops = [layers.at(-1), ...containers.map(({ mount }) => mount)].filter(
    (mount) => mount !== undefined,
  );
  return tops.filter(({ device }, index) => tops.findIndex((each) => each.device === device) === index);
}

function containersOf({ pod, containers }: VolumeUse, pods: readonly PodFacts[]): readonly ContainerImpact[] {
  const facts = pods.find(({ key }) => keyText(key) === keyText(pod));
  return containers
    .filter(({ role, containerId }) => role !== 'init' || containerId !== '')
    .flatMap(({ name, mounts }) => {
      const probe = facts?.containers.find((each) => each.name === name)?.probe ?? [];
      return mounts.map(({ path, propagation }) => ({
        container: name,
        path,
        propagation,
        probed: looksAt(probe, path),
      }));
    });
}
