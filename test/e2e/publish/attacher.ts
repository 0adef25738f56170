import { setTimeout as sleep } from 'node:timers/promises';
import type { V1VolumeAttachment } from '@kubernetes/client-node';
import type { Api } from '../../../src/cluster/api.ts';
import type { PublishCase } from './define-case.ts';

const path = '/apis/storage.k8s.io/v1/volumeattachments';

/** Plays the external attacher until the signal aborts: every VolumeAttachment is attached with its case's metadata. */
export async function attachVolumes(
  api: Api,
  cases: readonly PublishCase[],
  signal: AbortSignal,
): Promise<void> {
  const metadata = new Map(cases.map(({ id, attachmentMetadata }) => [id, attachmentMetadata]));
  while (!signal.aborted) {
    for (const { metadata: meta, spec, status } of await api.list<V1VolumeAttachment>(path)) {
      if (status?.attached) continue;
      const attachmentMetadata = metadata.get(spec.source.persistentVolumeName ?? '');
      const answer = { status: { attached: true, attachmentMetadata } };
      await api.patch(`${path}/${meta?.name}/status`, answer, 'merge');
    }
    await sleep(300, undefined, { signal }).catch(() => {});
  }
}
