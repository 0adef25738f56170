import type { Proof } from '../../../model/finding.ts';
import { type Answer, type Draft, defineRule, well } from '../../define-rule.ts';
import { mountProof } from '../../mounts.ts';
import type { PodView, PodVolumeView } from '../../pod-view.ts';
import { hasRunning, isPastGrace, leftovers, podSubject, volumeName } from '../../pods.ts';
import { isRegistered } from '../../registration.ts';
import {
  failureOf,
  failureProofs,
  holderProofs,
  holdersOf,
  rebuiltData,
  subPathLeft,
} from '../../unmount.ts';
import type { VolumeView } from '../../view.ts';

const reasons = {
  'subpath-dead':
    "Kubelet's own bind mount of a subPath is dead or hangs; kubelet takes those away before it asks the driver.",
  'data-lost':
    'vol_data.json beside the mount is gone or broken. Kubelet reads from it which driver to ask, and without it asks nobody.',
  hung: 'The mount gives no answer: whoever touches it waits, kubelet and the driver too.',
  'dead-mount':
    'The mount is dead, and the driver (or kubelet) looks at the path before it unmounts it: that look fails.',
  'extra-layers':
    'More than one mount lies on the path. Unpublishing takes one of them, and the directory stays a mount.',
  held: 'Something still uses the mount, so it is busy.',
  'driver-refuses': 'The driver was asked to unmount the volume and refused.',
  'not-unmounted': 'Kubelet has not taken the volume down, and what was seen does not say why.',
} as const;

type Reason = keyof typeof reasons;

/** Kubelet keeps a pod until all its volumes are unmounted, and asks the driver again and again (kubernetes#77969, #114546). */
export default defineRule<Reason>({
  id: 'unmount-blocked',
  incident: 'pods',
  scope: 'pod',
  link: 'mount',
  title: 'A volume of the pod that ends cannot be unmounted',
  needs: ['agent'],
  reasons,
  check(pod) {
    if (pod.condition !== 'ending' || hasRunning(pod)) return well;
    const unseen = pod.volumes.find(({ published }) => !published.seen);
    if (unseen && !unseen.published.seen)
      return { blind: [{ subject: podSubject(pod, unseen.volume), why: unseen.published.why }] };
    return {
      found: leftovers(pod).flatMap((each) => checkVolume(pod, each.volume, each.published).found ?? []),
    };
  },
});

type What = Pick<Draft<Reason>, 'reason' | 'cure'> & { readonly proofs: readonly Proof[] };

function checkVolume(pod: PodView, each: PodVolumeView, view: VolumeView): Answer<Reason> {
  const what =
    subPathFault(pod, each) ?? dataFault(pod, each, view) ?? mountFault(pod, view) ?? unknown(pod, each);
  if (!what) return well;
  const { layers } = view;
  const state = layers.length === 0 ? 'left behind, unmounted' : `still mounted and ${layers.at(-1)?.state}`;
  return {
    found: [
      {
        ...what,
        severity: 'error',
        subject: podSubject(pod, each.volume),
        summary: `${volumeName(each)} is ${state}${layers.length > 1 ? `, ${layers.length} layers deep` : ''}: the pod cannot end`,
        proofs: [
          ...layers.map((layer) => mountProof(layer, `on the node, layer ${layer.layer}`)),
          ...what.proofs,
          ...failureProofs(failureOf(pod, view)),
        ],
      },
    ],
  };
}

/** On the node as kubelet sees it; nothing here is ever deleted, and nothing recursively. */
const onNode = ({ facts }: PodView, command: string) =>
  `on node ${facts.node}, in kubelet's mount namespace: ${command}`;

function subPathFault(pod: PodView, { published }: PodVolumeView): What | undefined {
  const bind = published.seen && published.value ? subPathLeft(published.value) : undefined;
  if (!bind) return undefined;
  const [layer] = bind.layers.slice(-1);
  return {
    reason: 'subpath-dead',
    proofs: layer ? [mountProof(layer, 'on the node')] : [],
    cure: `${onNode(pod, `umount -l ${bind.bind.path}`)}; kubelet does the rest at its next try`,
  };
}

function dataFault(
  pod: PodView,
  each: PodVolumeView,
  { data, target, layers }: VolumeView,
): What | undefined {
  if (data?.driverName) return undefined;
  const folder = target.path.replace(/\/mount$/, '');
  const state = target.volData === undefined ? 'does not exist' : 'is not what kubelet wrote';
  const proofs = [{ what: `${folder}/vol_data.json ${state}`, source: "kubelet's root" }];
  const text = rebuiltData(pod, each);
  if (layers.length === 0)
    return {
      reason: 'data-lost',
      proofs,
      cure: `nothing is mounted there any more: ${onNode(pod, `rmdir ${target.path} ${folder}`)} (never rm -r: it could reach into a volume)`,
    };
  return {
    reason: 'data-lost',
    proofs,
    cure: text
      ? `write it again: ${onNode(pod, `printf %s '${text}' >${folder}/vol_data.json`)}; kubelet then asks the driver at its next try`
      : `${onNode(pod, `umount ${target.path}, then rmdir ${target.path} ${folder}`)} (never rm -r: it could reach into a volume)`,
  };
}

function mountFault(pod: PodView, view: VolumeView): What | undefined {
  const { layers, target } = view;
  const top = layers.at(-1);
  const holders = holdersOf(pod, view);
  const proofs = holderProofs(holders);
  const times = layers.length > 1 ? `, ${layers.length} times: once a layer` : '';
  if (top?.state === 'hung')
    return {
      reason: 'hung',
      proofs,
      cure: top.fsType.startsWith('fuse')
        ? onNode(
            pod,
            `echo 1 >/sys/fs/fuse/connections/${top.device.split(':')[1]}/abort ends the requests that wait (they fail), then umount -l ${target.path}${times}`,
          )
        : `bring the server back; or ${onNode(pod, `umount -l ${target.path}${times}`)} (what waits for it goes on waiting)`,
    };
  if (top?.state === 'dead')
    return {
      reason: 'dead-mount',
      proofs,
      cure: `${onNode(pod, `umount -l ${target.path}${times}`)}; kubelet and the driver do the rest at the next try, within 2 minutes`,
    };
  if (layers.length > 1)
    return {
      reason: 'extra-layers',
      proofs,
      cure: onNode(
        pod,
        `findmnt ${target.path} shows what lies on it; umount ${target.path} takes off the topmost, until one is left, which is the driver's to unmount`,
      ),
    };
  return undefined;
}

function unknown(pod: PodView, each: PodVolumeView): What | undefined {
  if (!each.published.seen || !each.published.value) return undefined;
  const view = each.published.value;
  const text = failureOf(pod, view) ?? '';
  if (text === '' && !isPastGrace(pod)) return undefined;
  // Kubelet cannot ask a driver that it does not know: the rules about registration and plugin say why.
  if (each.driver && !isRegistered(each.driver)) return undefined;
  const holders = holderProofs(holdersOf(pod, view));
  if (/device or resource busy|target is busy/.test(text))
    return {
      reason: 'held',
      proofs: holders,
      cure: `end what holds it${holders.length > 0 ? '' : `: ${onNode(pod, `fuser -vm ${view.target.path} names it, else a grep for the path in /proc/*/mountinfo`)}`}; then the driver's next try succeeds`,
    };
  if (/rpc error/.test(text))
    return {
      reason: 'driver-refuses',
      proofs: holders,
      cure: `the driver's words are the cause; its log on ${pod.facts.node} has the rest. Kubelet tries again by itself, at the latest after 2 minutes`,
    };
  return {
    reason: 'not-unmounted',
    proofs: holders,
    cure: `kubelet's log on ${pod.facts.node} says why: look for ${pod.facts.kubeletUid}`,
  };
}
