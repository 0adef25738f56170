import type { PublishedTarget } from '../model/mounts.ts';
import type { Observed } from '../model/observed.ts';
import { mapSeen } from '../model/observed.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Whether the API server knows no pod with the UID that the folder is named after. */
export const isOrphan = ({ podUids }: Snapshot, { podUid }: PublishedTarget): Observed<boolean> =>
  mapSeen(podUids, (uids) => !uids.includes(podUid));

/**
 * How such a folder goes: kubelet removes the pod's own folder once nothing is left in it. Never recursively: people
 * have wiped a volume that was still mounted (mattshma/bigdata#114).
 */
export function removal(node: string, { path, state, files, volData }: PublishedTarget): string {
  const folder = path.replace(/\/mount$/, '');
  if (files.length > 0)
    return `on ${node}: what lies in ${path} (${files.join(', ')}) was written there by an app while nothing was mounted: move it to where it belongs, then rmdir. Never rm -r`;
  const data = volData === undefined ? '' : `rm ${folder}/vol_data.json && `;
  return `on ${node}: ${data}rmdir ${state === 'bare' ? `${path} ` : ''}${folder}; kubelet removes the rest. Never rm -r: it could reach into a volume`;
}
