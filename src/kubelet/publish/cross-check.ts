import type { VolumeData } from '../volume-data.ts';
import type { ReplayInput } from './input.ts';
import { attachmentName } from './needs.ts';
import { Refusal } from './request.ts';
import type { Volume } from './volume.ts';

/**
 * What kubelet wrote down when it published must be what the objects say now; a key that an older kubelet did not
 * write is no disagreement. Without the file the objects alone are taken. @throws Refusal
 */
export function crossCheck({ volData, node }: ReplayInput, volume: Volume): void {
  if (!volData.seen) return;
  const expected: VolumeData = {
    specVolID: volume.specName,
    volumeHandle: volume.handle,
    driverName: volume.driver,
    nodeName: node,
    attachmentID: attachmentName(volume, node),
    ...(!volume.block && { volumeLifecycleMode: volume.lifecycle }),
  };
  for (const [key, value] of Object.entries(expected)) {
    const written = volData.value[key as keyof VolumeData];
    if (written !== undefined && written !== value) {
      throw new Refusal(`vol_data.json ${key}`, `kubelet published ${written}, the objects now say ${value}`);
    }
  }
}

/** supportsVolumeLifecycleMode of csi_mounter.go: kubelet would not publish either. @throws Refusal */
export function checkLifecycle(driver: ReplayInput['csiDriver'], volume: Volume): void {
  if (!driver.seen) throw new Refusal('csi driver', driver.why);
  const refuse = (why: string) => new Refusal('csi driver', `kubelet would not publish it: ${why}`);
  if (!driver.value) {
    if (volume.lifecycle === 'Persistent') return;
    throw refuse(`an inline volume needs a CSIDriver ${volume.driver}`);
  }
  if (driver.value.metadata?.name !== volume.driver) throw refuse(`its driver is now ${volume.driver}`);
  // The API server's default for volumeLifecycleModes (pkg/apis/storage/v1/defaults.go).
  const modes = driver.value.spec.volumeLifecycleModes ?? ['Persistent'];
  if (!modes.includes(volume.lifecycle)) {
    throw refuse(`volumeLifecycleModes of the CSIDriver has no ${volume.lifecycle}`);
  }
}
