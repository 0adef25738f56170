import type { Duplex } from 'node:stream';
import { type CallOptions, createClient } from '@connectrpc/connect';
import type { NodeCapability, PublishRequest, StageRequest } from '../../kubelet/publish/request.ts';
import { type Parameters, withoutSecrets } from '../../kubelet/publish/secret.ts';
import type { HostPath } from '../../model/ids.ts';
import {
  NodeServiceCapability_RPC_Type as Capability,
  Identity,
  Node,
  VolumeUsage_Unit as Unit,
  type VolumeUsage as UsageMessage,
} from './gen/csi/v1/csi_pb.js';
import { grpcTransport } from './grpc.ts';
import { publishMessage, stageMessage } from './messages.ts';
import { callFailure } from './questions.ts';

/** Milliseconds for calls that mount and unmount: kubelet's own limit (csiTimeout of pkg/volume/csi/csi_plugin.go). */
const mountLimitMs = 120_000;
/** Milliseconds for questions, which a driver answers without work. */
const questionLimitMs = 5_000;

/** A driver said no, or did not answer in time. The message is in gRPC's words, without the request's secrets. */
export class CsiCallError extends Error {
  /** Such as `NodePublishVolume`. */
  readonly method: string;

  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.name = 'CsiCallError';
    this.method = method;
  }
}

/** What `NodeGetVolumeStats` answers of bytes or inodes. */
export interface VolumeUsage {
  readonly unit: 'bytes' | 'inodes';
  readonly available: bigint;
  readonly total: bigint;
  readonly used: bigint;
}

/** The node service of a CSI driver. Every call throws CsiCallError, or the signal's reason when it aborts. */
export interface NodeClient {
  /** Absent in the driver's answer means ready (CSI specification, ProbeResponse). */
  probe(signal: AbortSignal): Promise<boolean>;
  capabilities(signal: AbortSignal): Promise<ReadonlySet<NodeCapability>>;
  stage(request: StageRequest, signal: AbortSignal): Promise<void>;
  publish(request: PublishRequest, signal: AbortSignal): Promise<void>;
  unpublish(request: Pick<PublishRequest, 'volumeId' | 'targetPath'>, signal: AbortSignal): Promise<void>;
  unstage(request: Pick<StageRequest, 'volumeId' | 'stagingTargetPath'>, signal: AbortSignal): Promise<void>;
  stats(volumeId: string, volumePath: HostPath, signal: AbortSignal): Promise<readonly VolumeUsage[]>;
  close(): void;
}

/** A client on a byte stream that leads to the driver's socket. `close` ends the stream too. */
export function nodeClient(stream: Duplex): NodeClient {
  const { transport, close } = grpcTransport(stream);
  const node = createClient(Node, transport);
  const identity = createClient(Identity, transport);
  return {
    close,
    probe: (signal) =>
      called('Probe', question(signal), async (options) => (await identity.probe({}, options)).ready ?? true),
    capabilities: (signal) =>
      called('NodeGetCapabilities', question(signal), async (options) => {
        const { capabilities } = await node.nodeGetCapabilities({}, options);
        return new Set(
          capabilities.flatMap(({ type }) => (type.case === 'rpc' ? nameOf(type.value.type) : [])),
        );
      }),
    stage: (request, signal) =>
      called(
        'NodeStageVolume',
        mounting(signal),
        async (options) => void (await node.nodeStageVolume(stageMessage(request), options)),
        secretsOf(request),
      ),
    publish: (request, signal) =>
      called(
        'NodePublishVolume',
        mounting(signal),
        async (options) => void (await node.nodePublishVolume(publishMessage(request), options)),
        secretsOf(request),
      ),
    unpublish: ({ volumeId, targetPath }, signal) =>
      called('NodeUnpublishVolume', mounting(signal), async (options) => {
        await node.nodeUnpublishVolume({ volumeId, targetPath }, options);
      }),
    unstage: ({ volumeId, stagingTargetPath }, signal) =>
      called('NodeUnstageVolume', mounting(signal), async (options) => {
        await node.nodeUnstageVolume({ volumeId, stagingTargetPath }, options);
      }),
    stats: (volumeId, volumePath, signal) =>
      called('NodeGetVolumeStats', question(signal), async (options) => {
        const { usage } = await node.nodeGetVolumeStats({ volumeId, volumePath }, options);
        return usage.flatMap(usageOf);
      }),
  };
}

const question = (signal: AbortSignal): CallOptions => ({ signal, timeoutMs: questionLimitMs });
const mounting = (signal: AbortSignal): CallOptions => ({ signal, timeoutMs: mountLimitMs });
const secretsOf = ({ secrets, volumeContext }: Pick<StageRequest, 'secrets' | 'volumeContext'>) => [
  secrets,
  volumeContext,
];

async function called<T>(
  method: string,
  options: CallOptions,
  call: (options: CallOptions) => Promise<T>,
  secrets: readonly Parameters[] = [],
): Promise<T> {
  try {
    return await call(options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new CsiCallError(method, withoutSecrets(callFailure(error), secrets));
  }
}

/** Nothing for a capability that is newer than the specification read here. */
const nameOf = (type: Capability): readonly NodeCapability[] =>
  Capability[type] === undefined || type === Capability.UNKNOWN ? [] : [Capability[type] as NodeCapability];

function usageOf({ unit, available, total, used }: UsageMessage): readonly VolumeUsage[] {
  if (unit === Unit.BYTES) return [{ unit: 'bytes', available, total, used }];
  return unit === Unit.INODES ? [{ unit: 'inodes', available, total, used }] : [];
}
