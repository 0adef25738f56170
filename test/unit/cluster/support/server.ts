import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { authority, type Identity, serverIdentity } from './pki.ts';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Headers in pairs, as they came over the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
}

/** Returns a body to send as JSON, a string to send as text, or undefined when it has answered by itself. */
export type Handler = (request: Seen, response: ServerResponse) => unknown;

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly Seen[];
  onUpgrade(listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly identity?: Identity;
  readonly clientCertificate?: 'asked' | 'required';
  readonly plain?: boolean;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** The test's API server on loopback, TLS unless asked otherwise. */
export async function startServer(handler: Handler, options: ServerOptions = {}): Promise<TestServer> {
  const requests: Seen[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const peer = (request.socket as TLSSocket).getPeerCertificate?.();
    const { method = '', url = '', headers, rawHeaders } = request;
    const client = peer?.subject?.CN as string | undefined;
    const seen = { method, url, headers, rawHeaders, body: await bodyOf(request), client };
    requests.push(seen);
    const answer = await handler(seen, response);
    if (answer !== undefined) response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
  const { cert, key } = options.identity ?? serverIdentity;
  const tls = {
    cert,
    key,
    ca: authority.cert,
    requestCert: options.clientCertificate !== undefined,
    rejectUnauthorized: options.clientCertificate === 'required',
  };
  const server = options.plain ? createServer(listener) : createTlsServer(tls, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.plain ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    onUpgrade: (listen) => server.on('upgrade', listen),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers with a Status object, as the API server refuses. */
export function refuse(response: ServerResponse, code: number, reason: string, message: string) {
  response.statusCode = code;
  response.setHeader('content-type', 'application/json');
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}
