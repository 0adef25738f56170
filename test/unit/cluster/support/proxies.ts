import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TestProxy {
  readonly port: number;
  /** `host:port` of every tunnel asked for. */
  readonly targets: readonly string[];
  /** Proxy-Authorization of every tunnel asked for. */
  readonly logins: readonly (string | undefined)[];
  close(): Promise<void>;
}

async function listen(server: Server, parts: Omit<TestProxy, 'port' | 'close'>): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { ...parts, port, close };
}

function join(client: Socket, port: number, greeting: string | Buffer) {
  const inner = connect(port, '127.0.0.1', () => {
    client.write(greeting);
    client.pipe(inner).pipe(client);
  });
  for (const [socket, other] of [[client, inner] as const, [inner, client] as const]) {
    socket.on('error', () => other.destroy());
    socket.on('close', () => other.destroy());
  }
}

/** A CONNECT proxy that leads every tunnel to one port on loopback, or refuses it. */
export function startConnectProxy(port: number, refusal?: string): Promise<TestProxy> {
  const [targets, logins]: [string[], (string | undefined)[]] = [[], []];
  const server = createHttpServer();
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '');
    logins.push(request.headers['proxy-authorization']);
    if (refusal) socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    else join(socket, port, 'HTTP/1.1 200 Connection Established\r\n\r\n');
  });
  return listen(server, { targets, logins });
}

/** A SOCKS5 proxy (RFC 1928, no login) that leads every tunnel to one port on loopback. */
export function startSocksProxy(port: number): Promise<TestProxy> {
  const targets: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.of(5, 0));
      socket.once('data', (request) => {
        const address =
          request[3] === 1 ? request.subarray(4, 8).join('.') : request.subarray(5, -2).toString();
        targets.push(`${address}:${request.readUInt16BE(request.length - 2)}`);
        join(socket, port, Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      });
    });
  });
  return listen(server, { targets, logins: [] });
}
