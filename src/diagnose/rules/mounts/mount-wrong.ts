import { type Draft, defineRule, well } from '../../define-rule.ts';
import {
  containerProof,
  containersIn,
  isInUse,
  mountProof,
  remountCommand,
  volumeSubject,
} from '../../mounts.ts';
import { secondPluginOf } from '../../second-plugin.ts';
import type { ContainerMountView, VolumeView } from '../../view.ts';

type Reason = 'bound-to-bare' | 'other-device' | 'other-offset' | 'lost';

const reasonOf: Partial<Record<ContainerMountView['state'], Reason>> = {
  bare: 'bound-to-bare',
  'other-device': 'other-device',
  'other-offset': 'other-offset',
  lost: 'lost',
};

const words: Readonly<Record<Reason, string>> = {
  'bound-to-bare': 'the bare directory on the node',
  'other-device': 'another file system than the node has now',
  'other-offset': 'another directory of the volume than kubelet bound for it',
  lost: 'no mount of its own any more',
};

/** Reasons where the container's mount is alive. */
const answers: ReadonlySet<Reason> = new Set(['other-device', 'other-offset']);

const hostProof = ({ layers }: VolumeView) =>
  layers.slice(-1).map((layer) => mountProof(layer, 'on the node'));

/** RPC success is no proof (awslabs/mountpoint-s3-csi-driver#576): only what the container has counts. */
export default defineRule<Reason>({
  id: 'mount-wrong',
  incident: 'mounts',
  scope: 'volume',
  title: 'The container sees something else than the node',
  needs: ['agent'],
  reasons: {
    'bound-to-bare': "The container was started while nothing was mounted: it writes to the node's disk.",
    'other-device':
      'What is mounted on the node now is another file system than the one that the container has, which still answers. Something was mounted over the volume, or the driver mounted it anew beside its old daemon.',
    'other-offset': "The container's subPath leads to another directory than kubelet's own bind.",
    lost: 'It lay inside another volume that died, and the kernel took it away with the first look at it: what the container writes there goes into the other volume.',
  },
  check(volume, node) {
    if (!isInUse(volume)) return well;
    const wrong = containersIn(volume, 'bare', 'other-device', 'other-offset', 'lost');
    const drafts = wrong.flatMap((container): readonly Draft<Reason>[] => {
      const reason = reasonOf[container.state];
      if (!reason || (reason === 'bound-to-bare' && volume.state === 'bare')) return [];
      // During a handover the container has the second driver's mount; handover-unfinished tells of it.
      if (reason === 'other-device' && secondPluginOf(node, volume.driver)) return [];
      return [
        {
          reason,
          severity: reason === 'other-device' ? 'warning' : 'error',
          subject: volumeSubject(volume),
          summary: `container ${container.container} of pod ${volume.use?.pod.namespace}/${volume.use?.pod.name} has ${words[reason]} at ${container.declared.path}`,
          proofs: [...hostProof(volume), containerProof(container)],
          cure: answers.has(reason)
            ? `nothing that answers is ever replaced: see which of the two is the volume, then restart the pod, or unmount what lies over ${volume.target.path}`
            : remountCommand(volume),
        },
      ];
    });
    return { found: drafts };
  },
});
