import { volumeCapability } from './capability.ts';
import { podInfo, publishContext, secretParameters, tokenParameters } from './context.ts';
import { checkLifecycle, crossCheck } from './cross-check.ts';
import { driverSpec, known, type Pod, type ReplayInput } from './input.ts';
import { kubeletTraits } from './kubelet-version.ts';
import { isStaged, type Needs, volumeNeeds } from './needs.ts';
import { ownershipOf } from './ownership.ts';
import { blockPaths, mountPaths, type VolumePaths } from './paths.ts';
import { type PublishRequest, Refusal, type Replay, type StageRequest } from './request.ts';
import type { Parameters } from './secret.ts';
import { kubeletUid, type Volume, volumeOf } from './volume.ts';

export type { ReplayInput } from './input.ts';
export type { NodeCapability, Ownership, PublishRequest, Replay, StageRequest } from './request.ts';

/** What every part of the requests is made of. */
interface Source {
  readonly input: ReplayInput;
  readonly pod: Pod;
  readonly volume: Volume;
  readonly needs: Needs;
  readonly paths: VolumePaths;
  readonly tokensInSecrets: boolean;
}

/**
 * The requests that kubelet itself would send for a volume of a pod (SetUpAt of pkg/volume/csi/csi_mounter.go,
 * MountDevice of csi_attacher.go, SetUpDevice and MapPodDevice of csi_block.go), or what of them cannot be known.
 *
 * A volume that several pods share is staged once; kubelet staged it with the fsGroup and the SELinux context of the
 * pod that came first, which nothing tells afterwards: any of the pods' `stage` will do only where these are equal.
 */
export function replayOf(input: ReplayInput): Replay {
  try {
    return replay(sourceOf(input));
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', field: error.field, why: error.message };
    throw error;
  }
}

function sourceOf(input: ReplayInput): Source {
  const volume = volumeOf(input);
  const pod = known(input.pod, 'pod');
  checkLifecycle(input.csiDriver, volume);
  crossCheck(input, volume);
  const traits = kubeletTraits(known(input.kubeletVersion, 'kubelet version'));
  const uid = kubeletUid(pod);
  const paths = volume.block
    ? blockPaths(input.kubeletRoot, volume, uid)
    : mountPaths(input.kubeletRoot, volume, uid, traits.legacyStaging);
  const asked = driverSpec(input)?.serviceAccountTokenInSecrets ?? false;
  const tokensInSecrets = asked && traits.tokensInSecrets;
  return { input, pod, volume, needs: volumeNeeds(input, volume), paths, tokensInSecrets };
}

function replay(source: Source): Replay {
  const { input, volume, pod } = source;
  const ownership = ownershipOf(input, volume, pod);
  return {
    kind: 'request',
    ...(isStaged(input, volume) && { stage: stageRequest(source) }),
    publish: publishRequest(source),
    ...(ownership && { ownership }),
  };
}

function stageRequest({ input, volume, pod, needs, paths }: Source): StageRequest {
  return {
    volumeId: volume.handle,
    publishContext: publishContext(input, needs),
    stagingTargetPath: paths.staging,
    volumeCapability: volumeCapability(input, volume, pod),
    secrets: needs.stageSecret ? secretParameters(known(input.stageSecret, 'secrets (stage)')) : {},
    volumeContext: volume.attributes,
  };
}

function publishRequest(source: Source): PublishRequest {
  const { input, volume, pod, needs, paths } = source;
  // csi_block.go names the staging path whether or not the driver stages.
  const namesStaging = volume.block || isStaged(input, volume);
  return {
    volumeId: volume.handle,
    publishContext: publishContext(input, needs),
    ...(namesStaging && { stagingTargetPath: paths.staging }),
    targetPath: paths.target,
    volumeCapability: volumeCapability(input, volume, pod),
    readonly: volume.readOnly,
    secrets: publishSecrets(source),
    volumeContext: volumeContext(source),
  };
}

function publishSecrets({ input, needs, tokensInSecrets }: Source): Parameters {
  const own = needs.publishSecret ? secretParameters(known(input.publishSecret, 'secrets (publish)')) : {};
  return { ...own, ...(tokensInSecrets && tokenParameters(input, needs, 'secrets (tokens)')) };
}

/** Pod information overrides attributes of the same name, tokens override both (mergeMap of csi_mounter.go). */
function volumeContext({ input, volume, pod, needs, tokensInSecrets }: Source): Parameters {
  const informed = driverSpec(input)?.podInfoOnMount ?? false;
  return {
    ...volume.attributes,
    ...(informed && podInfo(pod, volume)),
    ...(!tokensInSecrets && tokenParameters(input, needs, 'volume_context (tokens)')),
  };
}
