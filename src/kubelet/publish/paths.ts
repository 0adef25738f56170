import { type HostPath, hostPath } from '../../model/ids.ts';
import { sha256, type Volume } from './volume.ts';

/** Where kubelet has a volume staged and published. */
export interface VolumePaths {
  readonly staging: HostPath;
  readonly target: HostPath;
}

/** `kubernetes.io/csi`, and as a folder's name within a pod's (EscapeQualifiedName). */
const plugin = 'kubernetes.io/csi';
const escapedPlugin = 'kubernetes.io~csi';

/** makeDeviceMountPath of csi_attacher.go and GetPath of csi_mounter.go. */
export function mountPaths(
  root: HostPath,
  volume: Volume,
  podUid: string,
  legacyStaging: boolean,
): VolumePaths {
  const staged = legacyStaging ? `pv/${volume.specName}` : `${volume.driver}/${sha256(volume.handle)}`;
  const name = volume.specName.replaceAll('/', '~');
  return {
    staging: hostPath(`${root}/plugins/${plugin}/${staged}/globalmount`),
    target: hostPath(`${root}/pods/${podUid}/volumes/${escapedPlugin}/${name}/mount`),
  };
}

/** GetStagingPath and getPublishPath of csi_block.go. */
export function blockPaths(root: HostPath, volume: Volume, podUid: string): VolumePaths {
  const devices = `${root}/plugins/${plugin}/volumeDevices`;
  return {
    staging: hostPath(`${devices}/staging/${volume.specName}`),
    target: hostPath(`${devices}/publish/${volume.specName}/${podUid}`),
  };
}
