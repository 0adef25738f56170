import type { Blind } from '../../define-rule.ts';
import { defineRule } from '../../define-rule.ts';
import { isInUse, volumeSubject } from '../../mounts.ts';

/** Finds nothing: it only sees to it that a mount of which nobody knows how it is does not pass for well. */
export default defineRule<never>({
  id: 'mount-unseen',
  incident: 'mounts',
  scope: 'volume',
  title: 'The state of the volume could not be seen',
  needs: ['agent'],
  reasons: {},
  check(volume) {
    if (!isInUse(volume)) return {};
    const top = volume.layers.at(-1);
    const blind: Blind[] = [];
    if (top?.state === 'unseen')
      blind.push({
        subject: volumeSubject(volume),
        why: `statfs of ${top.mountPoint} answers ${top.errno ?? 'all zero'}`,
      });
    if (volume.target.state === 'unseen')
      blind.push({ subject: volumeSubject(volume), why: `${volume.target.path} could not be looked at` });
    for (const { container, declared, state, mount, namespace } of volume.containers) {
      if (state === 'missing')
        blind.push({
          subject: volumeSubject(volume),
          why: namespace
            ? `no mount was found at ${declared.path} of container ${container}`
            : `no process of container ${container} was found`,
        });
      if (state === 'unseen')
        blind.push({
          subject: volumeSubject(volume),
          why: `statfs of ${declared.path} in container ${container} answers ${mount?.errno ?? 'all zero'}`,
        });
    }
    return { blind };
  },
});
