/** What kubelet wrote beside a published volume (pkg/volume/csi/csi_util.go, volDataKey). */
export interface VolumeData {
  readonly driverName?: string;
  readonly volumeHandle?: string;
  readonly specVolID?: string;
  readonly nodeName?: string;
  readonly attachmentID?: string;
  readonly volumeLifecycleMode?: string;
  readonly seLinuxMountContext?: string;
}

/** vol_data.json as far as it can be read; undefined where it is missing or broken. */
export function volumeData(text: string | undefined): VolumeData | undefined {
  if (text === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? (data as VolumeData) : undefined;
  } catch {
    return undefined;
  }
}
