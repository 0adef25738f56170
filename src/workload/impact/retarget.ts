import type { Fate, Trigger, VolumeImpact } from '../../model/impact.ts';
import { fateOf } from './fate.ts';
import { protectionOf } from './protection.ts';

/** The volume as it fares when just these pods restart, by `namespace/name`. */
export function whenRestarted(volume: VolumeImpact, pods: ReadonlySet<string>): VolumeImpact {
  const trigger: Trigger = { kind: 'pods', pods };
  const onPluginRestart: Fate = fateOf(volume.services, trigger, undefined);
  const protection = protectionOf(volume.pod, volume.services, volume.containers, onPluginRestart);
  return { ...volume, onPluginRestart, protection };
}

/**
 * The volumes of these drivers, and those of others that the pods serve or may serve: whose daemon is not known, it may
 * live in them.
 */
export const concernedBy = (
  volumes: readonly VolumeImpact[],
  pods: ReadonlySet<string>,
  drivers: readonly string[],
): readonly VolumeImpact[] =>
  volumes
    .map((volume) => whenRestarted(volume, pods))
    .filter(
      ({ driver, onPluginRestart }) =>
        drivers.includes(driver) || onPluginRestart === 'dies' || onPluginRestart === 'unknown',
    );
