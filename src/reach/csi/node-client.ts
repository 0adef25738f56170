import type { Duplex } from 'node:stream';
import { type CallOptions, type Client, createClient } from '@connectrpc/connect';
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

/** Milliseconds that calls may take. */
export interface CallLimits {
  /** Calls that mount and unmount. */
  readonly mountMs: number;
  /** Questions, which a driver answers without work. */
  readonly questionMs: number;
}

/** Kubelet's own limit for mounting is two minutes (csiTimeout of pkg/volume/csi/csi_plugin.go). */
const usualLimits: CallLimits = { mountMs: 120_000, questionMs: 5_000 };

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
export function nodeClient(stream: Duplex, limits = usualLimits): NodeClient {
  const { transport, close } = grpcTransport(stream);
  const node = createClient(Node, transport);
  return { ...questions(node, createClient(Identity, transport), limits), ...mounts(node, limits), close };
}

function questions(
  node: Client<typeof Node>,
  identity: Client<typeof Identity>,
  { questionMs: timeoutMs }: CallLimits,
): Pick<NodeClient, 'probe' | 'capabilities' | 'stats'> {
  return {
    probe: (signal) =>
      called('Probe', { signal, timeoutMs }, async (options) => {
        const { ready } = await identity.probe({}, options);
        return ready ?? true;
      }),
    capabilities: (signal) =>
      called('NodeGetCapabilities', { signal, timeoutMs }, async (options) => {
        const { capabilities } = await node.nodeGetCapabilities({}, options);
        return new Set(
          capabilities.flatMap(({ type }) => (type.case === 'rpc' ? nameOf(type.value.type) : [])),
        );
      }),
    stats: (volumeId, volumePath, signal) =>
      called('NodeGetVolumeStats', { signal, timeoutMs }, async (options) => {
        const { usage } = await node.nodeGetVolumeStats({ volumeId, volumePath }, options);
        return usage.flatMap(usageOf);
      }),
  };
}

function mounts(
  node: Client<typeof Node>,
  { mountMs: timeoutMs }: CallLimits,
): Pick<NodeClient, 'stage' | 'publish' | 'unpublish' | 'unstage'> {
  const run = async (
    method: string,
    signal: AbortSignal,
    call: (options: CallOptions) => Promise<unknown>,
    secrets: readonly Parameters[] = [],
  ) => void (await called(method, { signal, timeoutMs }, call, secrets));
  return {
    stage: (request, signal) =>
      run(
        'NodeStageVolume',
        signal,
        (options) => node.nodeStageVolume(stageMessage(request), options),
        secretsOf(request),
      ),
    publish: (request, signal) =>
      run(
        'NodePublishVolume',
        signal,
        (options) => node.nodePublishVolume(publishMessage(request), options),
        secretsOf(request),
      ),
    unpublish: ({ volumeId, targetPath }, signal) =>
      run('NodeUnpublishVolume', signal, (options) =>
        node.nodeUnpublishVolume({ volumeId, targetPath }, options),
      ),
    unstage: ({ volumeId, stagingTargetPath }, signal) =>
      run('NodeUnstageVolume', signal, (options) =>
        node.nodeUnstageVolume({ volumeId, stagingTargetPath }, options),
      ),
  };
}

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
