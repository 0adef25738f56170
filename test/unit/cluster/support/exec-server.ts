import { spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { TestServer } from './server.ts';

export interface ExecCall {
  readonly command: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface ExecServer {
  readonly calls: readonly ExecCall[];
  readonly sockets: readonly WebSocket[];
}

/**
 * Runs commands as the API server's exec does, with real processes on this machine: channels 0 to 3, and 255 to close
 * one (v5). The command `tunnel PATH` joins the connection to a unix socket.
 */
export function serveExec(server: TestServer, protocol: string): ExecServer {
  const calls: ExecCall[] = [];
  const sockets: WebSocket[] = [];
  const upgrader = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  server.onUpgrade((request, socket, head) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    calls.push({ command: query.getAll('command'), query, headers: request.headers });
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.push(webSocket);
      const [file = '', ...args] = query.getAll('command');
      if (file === 'tunnel') tunnel(webSocket, args[0] ?? '');
      else run(webSocket, file, args);
    });
  });
  return { calls, sockets };
}

/** What the node agent does: joins standard input and output to a unix socket. */
function tunnel(socket: WebSocket, path: string) {
  const inner = connect(path);
  inner.on('data', (chunk) => socket.send(Buffer.concat([Buffer.of(1), chunk])));
  inner.on('error', (error) => sendStatus(socket, { status: 'Failure', message: error.message }));
  inner.on('end', () => sendStatus(socket, { status: 'Success' }));
  socket.on('message', (data: Buffer) => data[0] === 0 && inner.write(data.subarray(1)));
  socket.on('close', () => inner.destroy());
}

function run(socket: WebSocket, file: string, args: readonly string[]) {
  const child = spawn(file, args, { stdio: 'pipe' });
  const forward = async (channel: number, stream: Readable) => {
    for await (const chunk of stream) socket.send(Buffer.concat([Buffer.of(channel), chunk as Buffer]));
  };
  const output = Promise.all([forward(1, child.stdout), forward(2, child.stderr)]);
  socket.on('message', (data: Buffer) => {
    if (data[0] === 0) child.stdin.write(data.subarray(1));
    if (data[0] === 255 && data[1] === 0) child.stdin.end();
  });
  child.stdin.on('error', () => undefined);
  socket.on('close', () => child.kill());
  child.on('error', (error) =>
    sendStatus(socket, { status: 'Failure', reason: 'InternalError', message: error.message }),
  );
  child.on('close', async (code) => {
    await output;
    sendStatus(socket, code === 0 ? { status: 'Success' } : nonZero(code));
  });
}

function sendStatus(socket: WebSocket, status: object) {
  socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify({ kind: 'Status', ...status }))]));
  socket.close(1000);
}

const nonZero = (code: number | null) => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  message: `command terminated with non-zero exit code: exit status ${code}`,
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
});
