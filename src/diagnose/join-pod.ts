import type { LogLine } from '../model/evidence.ts';
import { mapSeen, type Observed, seen, unseen, valueOr } from '../model/observed.ts';
import type { PodContainer, PodFacts, PodVolume } from '../model/pod.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { PodCondition, PodView, PodVolumeView } from './pod-view.ts';
import type { NodeView } from './view.ts';
import { escapeName } from './volumes.ts';

/** Joins what the API server said of a pod with what is known of its node. */
export function joinPod(
  snapshot: Snapshot,
  nodes: readonly NodeView[],
  facts: PodFacts,
  log: Observed<readonly LogLine[]> = unseen("kubelet's log was not read"),
): PodView {
  const node = nodes.find(({ node: { name } }) => name === facts.node);
  const nodeObject = facts.nodes.find(({ name }) => name === facts.node)?.object;
  return {
    facts,
    condition: conditionOf(facts),
    at: snapshot.takenAt,
    snapshot,
    ...(node && { node }),
    ...(nodeObject && { nodeObject }),
    volumes: facts.volumes.map((volume) => joinPodVolume(snapshot, node, facts, volume)),
    log,
  };
}

/** What kubelet says while it makes a container or waits until it may (pkg/kubelet/kuberuntime, kubelet_pods.go). */
const beforeStart =
  /^(|ContainerCreating|PodInitializing|CreateContainer(Config)?Error|RunContainerError|PreStartHookError)$/;

const isBeforeStart = ({ state, reason }: PodContainer) => state === 'waiting' && beforeStart.test(reason);

function conditionOf({ endsAt, phase, node, containers }: PodFacts): PodCondition {
  if (endsAt !== undefined) return 'ending';
  if (phase === 'Succeeded' || phase === 'Failed') return 'ended';
  if (node === undefined) return 'unscheduled';
  return phase === 'Pending' || containers.some(isBeforeStart) ? 'starting' : 'running';
}

function joinPodVolume(
  snapshot: Snapshot,
  node: NodeView | undefined,
  facts: PodFacts,
  volume: PodVolume,
): PodVolumeView {
  const driver = node?.drivers.find((each) => each.driver === volume.driver);
  const name = specName(volume);
  return {
    volume,
    ...(driver && { driver }),
    attaches: attaches(snapshot, volume),
    attachments: mapSeen(facts.attachments, (all) =>
      all.filter(({ persistentVolume }) => persistentVolume === name),
    ),
    published: node
      ? mapSeen(node.volumes, (volumes) =>
          volumes.find(
            ({ target }) => target.podUid === facts.kubeletUid && target.specName === escapeName(name),
          ),
        )
      : seen(undefined),
  };
}

/** The name of kubelet's folder: the PersistentVolume's, which need not exist any more, or an inline volume's own. */
export const specName = ({ claim, name }: PodVolume) =>
  (claim && valueOr(claim, undefined)?.volumeName) ?? name;

/** A driver without a CSIDriver object is attached (skipAttach of pkg/volume/csi/csi_plugin.go). */
function attaches({ csiDrivers }: Snapshot, { driver, kind }: PodVolume): Observed<boolean> {
  if (kind === 'inline' || driver === undefined) return seen(false);
  return mapSeen(csiDrivers, (all) => all.find(({ name }) => name === driver)?.attachRequired ?? true);
}
