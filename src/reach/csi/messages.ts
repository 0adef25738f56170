import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { PublishRequest, StageRequest, VolumeCapability } from '../../kubelet/publish/request.ts';
import { type Parameters, Secret } from '../../kubelet/publish/secret.ts';
import {
  VolumeCapability_AccessMode_Mode as Mode,
  type NodePublishVolumeRequest,
  NodePublishVolumeRequestSchema,
  type NodeStageVolumeRequest,
  NodeStageVolumeRequestSchema,
  type VolumeCapabilitySchema,
} from './gen/csi/v1/csi_pb.js';

/** The request as it travels. Its secrets are revealed: to be sent, never to be printed. */
export const stageMessage = (request: StageRequest): NodeStageVolumeRequest =>
  create(NodeStageVolumeRequestSchema, {
    ...request,
    volumeCapability: capabilityMessage(request.volumeCapability),
    secrets: revealed(request.secrets),
    volumeContext: revealed(request.volumeContext),
  });

/** The request as it travels. Its secrets are revealed: to be sent, never to be printed. */
export const publishMessage = (request: PublishRequest): NodePublishVolumeRequest =>
  create(NodePublishVolumeRequestSchema, {
    ...request,
    volumeCapability: capabilityMessage(request.volumeCapability),
    secrets: revealed(request.secrets),
    volumeContext: revealed(request.volumeContext),
  });

function capabilityMessage(capability: VolumeCapability): MessageInitShape<typeof VolumeCapabilitySchema> {
  const accessMode = { mode: Mode[capability.accessMode] };
  if (capability.kind === 'block') return { accessMode, accessType: { case: 'block', value: {} } };
  const { fsType, mountFlags, volumeMountGroup = '' } = capability;
  return {
    accessMode,
    accessType: { case: 'mount', value: { fsType, mountFlags: [...mountFlags], volumeMountGroup } },
  };
}

const revealed = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => [key, value instanceof Secret ? value.reveal() : value]),
  );
