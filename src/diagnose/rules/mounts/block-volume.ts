import type { ObservedMount } from '../../../model/mounts.ts';
import { valueOr } from '../../../model/observed.ts';
import type { VolumeUse } from '../../../model/snapshot.ts';
import { type Blind, type Draft, defineRule } from '../../define-rule.ts';
import { mountProof } from '../../mounts.ts';
import type { NodeView } from '../../view.ts';
import { specNameOf } from '../../volumes.ts';

type Reason = 'dead' | 'hung';

/** `ROOT/plugins/kubernetes.io/csi/volumeDevices/publish/SPECNAME/PODUID` (getPublishPath of pkg/volume/csi/csi_block.go). */
const publishPath = /\/plugins\/kubernetes\.io\/csi\/volumeDevices\/publish\/([^/]+)\/([^/]+)$/;

/** A driver may publish a file of its own file system as a block volume; kubelet puts a loop device on it (csi_block.go). */
export default defineRule<Reason>({
  id: 'block-volume',
  incident: 'mounts',
  scope: 'node',
  title: 'A block volume does not answer',
  needs: ['agent'],
  reasons: {
    dead: 'The file behind the block volume lies on a file system whose daemon or server has ended. The loop device that kubelet made of it keeps the dead file, in the container too, so publishing again would help nobody.',
    hung: 'The file system that holds the file behind the block volume gives no answer.',
  },
  check(node) {
    const published = publishedBlocks(node);
    return {
      found: published.flatMap((each) => draft(node, each)),
      blind: published.flatMap((each) => blind(node, each)),
    };
  },
});

interface Block {
  readonly mount: ObservedMount;
  readonly specName: string;
  /** Absent where no pod of the API server has it. */
  readonly use: VolumeUse | undefined;
}

function publishedBlocks({ node, snapshot, evidence }: NodeView): readonly Block[] {
  if (!evidence.seen || !evidence.value.mounts.seen) return [];
  const { namespaces, mounts } = evidence.value.mounts.value;
  const host = namespaces.find((namespace) => namespace.host)?.inode;
  const uses = valueOr(snapshot.volumeUses, []).filter((use) => use.node === node.name);
  return mounts.flatMap((mount): readonly Block[] => {
    const [, specName, podUid] = publishPath.exec(mount.mountPoint) ?? [];
    if (mount.namespace !== host || !specName || mount.layer !== mount.layers - 1) return [];
    return [
      { mount, specName, use: uses.find((use) => use.podUid === podUid && specNameOf(use) === specName) },
    ];
  });
}

const subjectOf = ({ node }: NodeView, { use, specName }: Block) => ({
  node: node.name,
  volume: use?.volumeHandle ?? specName,
  ...(use && { driver: use.driver, pod: use.pod, volumeName: use.volume }),
});

function draft(view: NodeView, block: Block): readonly Draft<Reason>[] {
  const { mount, specName, use } = block;
  if (mount.state !== 'dead' && mount.state !== 'hung') return [];
  const pod = use && `${use.pod.namespace}/${use.pod.name}`;
  const remake = use
    ? `when its driver answers, delete the pod (kubectl -n ${use.pod.namespace} delete pod ${use.pod.name}) and let its owner make another`
    : 'its pod is gone: kubelet unpublishes it once it answers';
  return [
    {
      reason: mount.state,
      severity: 'error',
      subject: subjectOf(view, block),
      summary: `block volume ${use?.claim?.name ?? specName}${pod ? ` of pod ${pod}` : ''} ${mount.state === 'dead' ? 'is dead' : 'gives no answer'}`,
      proofs: [mountProof(mount, 'on the node')],
      cure:
        mount.state === 'dead'
          ? `kubectl csi repairs no block volume, since a loop device holds the dead file: ${remake}`
          : `kubectl csi touches no block volume: look at its daemon or server first; ${remake}`,
    },
  ];
}

function blind(view: NodeView, block: Block): readonly Blind[] {
  const { state, mountPoint, errno } = block.mount;
  if (state !== 'unseen') return [];
  return [{ subject: subjectOf(view, block), why: `statfs of ${mountPoint} answers ${errno ?? 'all zero'}` }];
}
