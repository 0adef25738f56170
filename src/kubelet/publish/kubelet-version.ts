import { Refusal } from './request.ts';

/** In what the requests of a kubelet differ by its version. */
export interface KubeletTraits {
  /** Staging under `pv/NAME` instead of under the driver and the handle's hash (makeDeviceMountPath before 1.24). */
  readonly legacyStaging: boolean;
  /** CSIDriver's `serviceAccountTokenInSecrets` is obeyed (feature gate CSIServiceAccountTokenSecrets, on from 1.35). */
  readonly tokensInSecrets: boolean;
}

/** VOLUME_MOUNT_GROUP is honoured by default since then (feature gate DelegateFSGroupToCSIDriver). */
const oldestKnownMinor = 23;

/** Read in pkg/volume/csi of v1.23.17, v1.34.4, v1.36.3 and v1.37.2. @throws Refusal */
export function kubeletTraits(version: string): KubeletTraits {
  const minor = Number(/^v?1\.(\d+)\./.exec(version)?.[1] ?? Number.NaN);
  if (!(minor >= oldestKnownMinor)) {
    throw new Refusal(
      'kubelet version',
      `kubelet ${version} is not one whose requests are known: 1.23 or later`,
    );
  }
  return { legacyStaging: minor < 24, tokensInSecrets: minor >= 35 };
}
