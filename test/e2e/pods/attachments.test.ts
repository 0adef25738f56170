import { before, describe, it } from 'mocha';
import { waitPodReady, waitUntil } from '../../cluster/index.ts';
import { applyInOrder } from './support/apply.ts';
import { assertBlocker, waitEvent } from './support/doctor.ts';
import { namespace, pod, whole } from './support/objects.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const driver = 'attach.csi.test';
const mode = 'ReadWriteOnce';
const sound = ['claim', 'volume', 'scheduling', 'node'];

interface AttachmentList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } };
  }[];
}

describe('doctor pod/NAME: attachments', function () {
  this.timeout(300_000);
  let shared: Shared;

  /** The VolumeAttachment that kube-controller-manager makes for a volume. */
  async function attachmentOf(volume: string, node: string): Promise<string> {
    let name: string | undefined;
    await waitUntil(`a VolumeAttachment of ${volume} to ${node}`, async () => {
      const { items } = await shared.cluster.kubectlJson<AttachmentList>(['get', 'volumeattachments']);
      name = items.find(({ spec }) => spec.nodeName === node && spec.source.persistentVolumeName === volume)
        ?.metadata.name;
      return name !== undefined;
    });
    return name ?? '';
  }

  /** What the external-attacher would write. */
  async function attacherSays(name: string, status: object): Promise<void> {
    const finalizers = JSON.stringify({ metadata: { finalizers: ['external-attacher/attach-csi-test'] } });
    const { cluster } = shared;
    await cluster.kubectl(['patch', 'volumeattachment', name, '--type=merge', '-p', finalizers]);
    const patch = JSON.stringify({ status });
    await cluster.kubectl([
      'patch',
      'volumeattachment',
      name,
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    ]);
  }

  before(async function () {
    this.timeout(600_000);
    shared = await sharedCluster();
    const { cluster, lostNode } = shared;
    await applyInOrder(cluster, [
      ...whole({ name: 'untouched', driver, node: 'node-1' }),
      ...whole({ name: 'refused', driver, node: 'node-1' }),
      ...whole({ name: 'used', driver, node: 'node-2', mode }),
      ...whole({ name: 'stranded', driver, node: 'node-3', mode }),
      ...whole({ name: 'silent', driver: 'bind.csi.test', node: 'node-3' }),
    ]);
    const error = { time: new Date().toISOString().replace(/\.\d+/, ''), message: 'no such disk' };
    await attacherSays(await attachmentOf('refused', 'node-1'), { attached: false, attachError: error });
    await attacherSays(await attachmentOf('used', 'node-2'), { attached: true });
    await attacherSays(await attachmentOf('stranded', 'node-3'), { attached: true });
    await Promise.all(['used', 'stranded', 'silent'].map((name) => waitPodReady(cluster, namespace, name)));
    await lostNode.stopKubelet();
    await cluster.kubectl(['delete', 'pod', '-n', namespace, 'stranded', '--force', '--grace-period=0']);
    await cluster.kubectl(['delete', 'pod', '-n', namespace, 'silent', '--wait=false']);
    const source = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
    await cluster.apply([
      pod({ name: 'second', node: 'node-1', source: source('used') }),
      pod({ name: 'moved', node: 'node-1', source: source('stranded') }),
    ]);
  });

  it('an attacher that does not run', async () => {
    await assertBlocker(shared.cluster, 'untouched', {
      blocker: 'attachment-waits: no-attacher',
      cure: /external-attacher/,
      sound: [...sound, 'plugin', 'registration'],
    });
  });

  it("an attacher that was refused, in the driver's words", async () => {
    await assertBlocker(shared.cluster, 'refused', {
      blocker: 'attachment-waits: refused',
      cure: /driver's own words/,
      sound,
    });
  });

  it('a volume for one node that a pod on another node uses', async () => {
    await waitEvent(shared.cluster, 'second', /Multi-Attach/);
    await assertBlocker(shared.cluster, 'second', {
      blocker: 'multi-attach: in-use',
      cure: /kubectl delete pod used -n stuck/,
      sound,
    });
  });

  it('a volume that is left on a node that is down: the taint first', async () => {
    const { cluster } = shared;
    await waitEvent(cluster, 'moved', /Multi-Attach/);
    const ready = ['get', 'node', 'node-3', '-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}'];
    await waitUntil(
      'node-3 to be not Ready',
      async () => (await cluster.kubectl(ready)).stdout === 'Unknown',
      {
        timeoutMs: 120_000,
      },
    );
    await assertBlocker(cluster, 'moved', {
      blocker: 'multi-attach: node-down',
      cure: /kubectl taint node node-3 node\.kubernetes\.io\/out-of-service/,
      sound,
    });
  });

  it('a pod that is Terminating on a node that is down', async () => {
    await assertBlocker(shared.cluster, 'silent', {
      blocker: 'node-gone: not-ready',
      cure: /out-of-service/,
      sound: ['claim', 'volume'],
    });
  });

  it('a volume that is left on a node that does not exist any more', async () => {
    const { cluster } = shared;
    await cluster.kubectl(['delete', 'node', 'node-3']);
    await assertBlocker(cluster, 'moved', {
      blocker: 'multi-attach: node-gone',
      cure: /never take the finalizer off/,
      sound,
    });
    await assertBlocker(cluster, 'silent', { blocker: 'node-gone: deleted', cure: /--force/ });
  });
});
