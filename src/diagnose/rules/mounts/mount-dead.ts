import { type Draft, defineRule, well } from '../../define-rule.ts';
import {
  containerNames,
  containerProof,
  containersIn,
  isInUse,
  mountProof,
  remountAllCommand,
  remountCommand,
  volumeSubject,
  volumeText,
} from '../../mounts.ts';
import type { VolumeView } from '../../view.ts';

type Reason = 'daemon-gone' | 'stale-handle' | 'container-only';

/** ESTALE and EHOSTDOWN are how network file systems say it; everything else that is dead is a FUSE daemon's end. */
const staleErrnos: ReadonlySet<string> = new Set(['ESTALE', 'EHOSTDOWN']);

/** The second incident: the FUSE daemon ended with its node plugin, and every open of the volume fails. */
export default defineRule<Reason>({
  id: 'mount-dead',
  incident: 'mounts',
  scope: 'volume',
  title: 'The volume is dead',
  needs: ['agent'],
  reasons: {
    'daemon-gone':
      'The FUSE daemon behind the mount has ended, most often with a restart of its node plugin. Kubelet does not publish the volume again.',
    'stale-handle':
      'The server no longer knows the directory that is mounted: it was restarted or exported anew.',
    'container-only':
      'On the node the volume is mounted again, but the running container keeps the mount that it was started with.',
  },
  check(volume) {
    if (!isInUse(volume)) return well;
    const host = [...volume.layers, ...(volume.staging?.layers ?? [])].find(({ state }) => state === 'dead');
    const dead = containersIn(volume, 'dead');
    if (!host && dead.length === 0) return well;
    const onHost = volume.layers.at(-1)?.state === 'dead' || (host && volume.state !== 'alive');
    if (!onHost && dead.length === 0) return well;
    const reason = !onHost
      ? 'container-only'
      : staleErrnos.has(host?.errno ?? '')
        ? 'stale-handle'
        : 'daemon-gone';
    return { found: [draft(volume, reason)] };
  },
});

function draft(volume: VolumeView, reason: Reason): Draft<Reason> {
  const dead = containersIn(volume, 'dead');
  const top = volume.layers.at(-1);
  const where = dead.length > 0 ? ` in container ${containerNames(dead)}` : '';
  return {
    reason,
    severity: 'error',
    subject: volumeSubject(volume),
    summary: `${volumeText(volume)} of pod ${volume.use?.pod.namespace}/${volume.use?.pod.name} is dead${where}`,
    proofs: [...(top ? [mountProof(top, 'on the node')] : []), ...dead.map(containerProof)],
    cure: remountCommand(volume),
    cureTogether: remountAllCommand(volume),
  };
}
