import { obstacleOf } from '../../../kubelet/scheduling.ts';
import { countOf } from '../../../model/count.ts';
import { valueOr } from '../../../model/observed.ts';
import type { ContainerSnapshot, PluginPod } from '../../../model/snapshot.ts';
import { type Answer, defineRule, well } from '../../define-rule.ts';
import { driverSubject, isServing } from '../../registration.ts';
import type { DriverView, NodeView } from '../../view.ts';

type Reason = 'taint' | 'selector' | 'absent' | 'no-daemonset' | 'crash' | 'image' | 'not-ready' | 'ending';

interface Cause {
  readonly reason: Reason;
  readonly what: string;
  readonly cure: string;
}

/** A driver lost at a reboot because its DaemonSet does not tolerate the node's taint hangs mounts for days. */
export default defineRule<Reason>({
  id: 'plugin-missing',
  incident: 'registration',
  scope: 'driver',
  title: 'The node plugin does not run on the node',
  link: 'plugin',
  needs: [],
  reasons: {
    taint: 'The DaemonSet does not tolerate a taint of the node.',
    selector: "The DaemonSet's node selector or affinity leaves the node out.",
    absent: 'Nothing in its spec keeps the DaemonSet off the node, and yet no pod of it is here.',
    'no-daemonset': 'No DaemonSet and no pod in the cluster registers this driver.',
    crash: 'A container of the node plugin crashes again and again.',
    image: "A container's image cannot be had.",
    'not-ready': 'The pod is here, but a container is not ready.',
    ending: 'The pod is being deleted.',
  },
  check(driver, node) {
    const { snapshot } = node;
    if (!snapshot.pluginPods.seen)
      return { blind: [{ subject: driverSubject(driver), why: snapshot.pluginPods.why }] };
    if (driver.pod && isServing(driver.pod)) return well;
    const cause = driver.pod ? podCause(driver.pod) : absenceCause(driver, node);
    return cause ? found(driver, cause) : well;
  },
});

function podCause(pod: PluginPod): Cause {
  const name = `-n ${pod.key.namespace} ${pod.key.name}`;
  if (pod.deleting)
    return { reason: 'ending', what: 'it is being deleted', cure: `kubectl get pod ${name} -o wide` };
  const bad = pod.containers.find((container) => !container.ready);
  if (!bad) return { reason: 'not-ready', what: `it is ${pod.phase}`, cure: `kubectl describe pod ${name}` };
  const what = `container ${bad.name} is ${bad.state}${bad.lastEnd ? `, last end: ${bad.lastEnd}` : ''}, ${bad.restarts} restarts`;
  const reason = reasonOf(bad);
  return {
    reason,
    what,
    cure:
      reason === 'crash' ? `kubectl logs ${name} -c ${bad.name} --previous` : `kubectl describe pod ${name}`,
  };
}

/** Between two ends of a loop the container is CrashLoopBackOff, Error or OOMKilled, whenever one happens to look. */
function reasonOf({ state, restarts }: ContainerSnapshot): Reason {
  if (/Image/.test(state)) return 'image';
  const ended = /^(Error|OOMKilled)$/.test(state) && restarts > 0;
  return state === 'CrashLoopBackOff' || ended || restarts > 2 ? 'crash' : 'not-ready';
}

function absenceCause(
  { daemonSet, node: name }: DriverView,
  { node, snapshot }: NodeView,
): Cause | undefined {
  if (!daemonSet) {
    const elsewhere = valueOr(snapshot.daemonSets, []).length > 0;
    return {
      reason: 'no-daemonset',
      what: elsewhere ? 'no DaemonSet names this driver' : 'no DaemonSet of a node plugin was found',
      cure: 'install the driver again, or remove what still refers to it',
    };
  }
  const set = `daemonset ${daemonSet.key.name} -n ${daemonSet.key.namespace}`;
  const obstacle = obstacleOf(daemonSet, node);
  if (!obstacle)
    return { reason: 'absent', what: `${set} should have a pod on ${name}`, cure: `kubectl describe ${set}` };
  return {
    reason: obstacle.kind,
    what: `${set}: ${obstacle.kind === 'taint' ? 'no toleration for' : 'left out by'} ${obstacle.detail}`,
    cure:
      obstacle.kind === 'taint'
        ? `add a toleration for ${obstacle.detail} to ${set}`
        : `widen the node selection of ${set}, or move the pods that use the driver`,
  };
}

/** Missing where nothing needs it is how many clusters are meant to be: a notice, not an error. */
function found(driver: DriverView, { reason, what, cure }: Cause): Answer<Reason> {
  const listed = driver.listed.seen && driver.listed.value !== undefined;
  const needed = listed || driver.uses.length > 0 || driver.pod !== undefined;
  const uses =
    driver.uses.length === 0
      ? ''
      : `; ${countOf(driver.uses.length, 'volume')} of pods here ${driver.uses.length === 1 ? 'waits' : 'wait'} for it`;
  return {
    found: [
      {
        reason,
        severity: needed ? 'error' : 'notice',
        subject: { ...driverSubject(driver), ...(driver.daemonSet && { daemonSet: driver.daemonSet.key }) },
        summary: `the node plugin of ${driver.driver} ${driver.pod ? 'is not ready' : 'does not run'} here: ${what}${uses}`,
        proofs: [
          { what, source: driver.pod ? 'pod status' : 'DaemonSet spec and node taints' },
          ...(listed ? [{ what: 'CSINode lists the driver', source: `CSINode ${driver.node}` }] : []),
        ],
        cure,
      },
    ],
  };
}
