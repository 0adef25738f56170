import type { Duplex } from 'node:stream';
import { Code, ConnectError } from '@connectrpc/connect';
import type { DriverAnswer, Registration } from '../../model/evidence.ts';
import { driverName, hostPath } from '../../model/ids.ts';
import { Identity } from './gen/csi/v1/csi_pb.js';
import { Registration as RegistrationService } from './gen/pluginregistration/v1/api_pb.js';
import { grpcOver } from './grpc.ts';

/** Milliseconds that a socket has to answer; kubelet's own limit for GetInfo is one second, a slow node gets more. */
const timeoutMs = 3_000;

/** Kubelet's first question to a socket in its registry. */
export async function askRegistration(stream: Duplex, signal: AbortSignal): Promise<Registration> {
  const { client, close } = grpcOver(stream, RegistrationService);
  try {
    const info = await client.getInfo({}, { timeoutMs, signal });
    return {
      type: info.type,
      name: driverName(info.name),
      endpoint: hostPath(info.endpoint),
      versions: info.supportedVersions,
    };
  } finally {
    close();
  }
}

/** Who a driver is, and whether it is ready. An absent `ready` means ready (CSI specification, ProbeResponse). */
export async function askDriver(stream: Duplex, signal: AbortSignal): Promise<DriverAnswer> {
  const { client, close } = grpcOver(stream, Identity);
  try {
    const options = { timeoutMs, signal };
    const info = await client.getPluginInfo({}, options);
    const probe = await client.probe({}, options);
    return { name: driverName(info.name), vendorVersion: info.vendorVersion, ready: probe.ready ?? true };
  } finally {
    close();
  }
}

export const isUnimplemented = (error: unknown) =>
  error instanceof ConnectError && error.code === Code.Unimplemented;

/** A failed call in gRPC's words: `Unavailable: no child process`. */
export const callFailure = (error: unknown) =>
  error instanceof ConnectError
    ? `${Code[error.code]}: ${error.rawMessage}`
    : error instanceof Error
      ? error.message
      : String(error);
