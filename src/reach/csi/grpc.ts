import type { Duplex } from 'node:stream';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';

/** A gRPC client on a byte stream that leads to a unix socket, and the way to end it. */
export interface GrpcClient<Service extends DescService> {
  readonly client: Client<Service>;
  close(): void;
}

/** Unix sockets have no host name; gRPC servers on them accept any authority. */
const authority = 'http://localhost';

/** HTTP/2 on the stream, for any number of services. */
export function grpcTransport(stream: Duplex): { readonly transport: Transport; close(): void } {
  const session = new Http2SessionManager(authority, {}, { createConnection: () => stream });
  // Node's HTTP/2 notices the end of a stream that is no network socket only when it writes: calls would wait in vain.
  const ended = () => session.abort(new ConnectError('the connection to the socket ended', Code.Unavailable));
  for (const event of ['end', 'close']) stream.once(event, ended);
  return {
    transport: createGrpcTransport({ baseUrl: authority, sessionManager: session }),
    close: () => {
      session.abort();
      stream.destroy();
    },
  };
}

export function grpcOver<Service extends DescService>(stream: Duplex, service: Service): GrpcClient<Service> {
  const { transport, close } = grpcTransport(stream);
  return { client: createClient(service, transport), close };
}
