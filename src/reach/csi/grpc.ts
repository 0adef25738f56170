import type { Duplex } from 'node:stream';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';

/** A gRPC client on a byte stream that leads to a unix socket, and the way to end it. */
export interface GrpcClient<Service extends DescService> {
  readonly client: Client<Service>;
  close(): void;
}

/** Unix sockets have no host name; gRPC servers on them accept any authority. */
const authority = 'http://localhost';

export function grpcOver<Service extends DescService>(stream: Duplex, service: Service): GrpcClient<Service> {
  const session = new Http2SessionManager(authority, {}, { createConnection: () => stream });
  const transport = createGrpcTransport({ baseUrl: authority, sessionManager: session });
  return {
    client: createClient(service, transport),
    close: () => {
      session.abort();
      stream.destroy();
    },
  };
}
