import type { IncomingMessage } from 'node:http';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { WebSocket } from 'ws';
import type { ExecOptions, ExecTarget } from '../api.ts';
import { connectionError } from '../connection/connection-error.ts';
import type { Transport } from '../connection/transport.ts';
import { isUnauthorized } from '../errors.ts';
import { ExecChannels } from './exec-channels.ts';
import { readBody, refusal } from './reply.ts';

export interface ExecStatus {
  /** The command's exit code; null when the connection ended before the server told it. */
  readonly exitCode: number | null;
  /** The server's words on a failure; empty on success. */
  readonly message: string;
}

/** A command that runs in a container. */
export interface ExecStream {
  /** Ending it is end-of-file for the command where `halfClose` is true; otherwise the command never sees an end. */
  readonly stdin: Writable;
  /** Holds the connection back while it is not read. Fails when the connection breaks. */
  readonly stdout: Readable;
  /** Read or not, it holds nothing back. */
  readonly stderr: Readable;
  /** Never rejects. */
  readonly status: Promise<ExecStatus>;
  readonly halfClose: boolean;
  close(): void;
}

/**
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets :
 * a byte that names the channel before each message; v5 (Kubernetes 1.30) adds closing one direction.
 */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const upgradeLimitMs = 30_000;
const closeLimitMs = 1_000;

/** @throws ApiError in the server's words when it refuses, ConnectionError when it cannot be reached. */
export async function openExec(
  transport: Transport,
  target: ExecTarget,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExecStream> {
  const path = execPath(target, command, options.stdin ?? false);
  const socket = await dial(transport, path, options.signal).catch((error: unknown) => {
    if (!isUnauthorized(error) || !transport.forgetCredentials()) throw error;
    return dial(transport, path, options.signal);
  });
  return streamOf(socket, options.signal);
}

function execPath(target: ExecTarget, command: readonly string[], stdin: boolean): string {
  const query = new URLSearchParams([
    ...command.map((word): [string, string] => ['command', word]),
    ['container', target.container],
    ['stdin', String(stdin)],
    ['stdout', 'true'],
    ['stderr', 'true'],
  ]);
  return `/api/v1/namespaces/${target.namespace}/pods/${target.pod}/exec?${query}`;
}

async function dial(transport: Transport, path: string, signal: AbortSignal): Promise<WebSocket> {
  signal.throwIfAborted();
  const { url, agent, headers } = await transport.access(path);
  const address = url.href.replace(/^http/, 'ws');
  const within = AbortSignal.any([signal, AbortSignal.timeout(upgradeLimitMs)]);
  const socket = new WebSocket(address, protocols, { agent, headers, perMessageDeflate: false });
  const abort = () => socket.terminate();
  within.addEventListener('abort', abort, { once: true });
  try {
    await opened(socket, path, url, within);
  } finally {
    within.removeEventListener('abort', abort);
  }
  return socket;
}

function opened(socket: WebSocket, path: string, url: URL, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // What comes in one segment with the server's answer would be told before anybody can listen.
    socket.once('open', () => {
      socket.pause();
      resolve();
    });
    socket.on('error', (error) => reject(connectionError(error, url, signal)));
    socket.once('unexpected-response', (_request, reply: IncomingMessage) => {
      readBody(reply)
        .catch(() => '')
        .then((body) => reject(refusal(reply, body, 'create', path)));
    });
  });
}

function streamOf(socket: WebSocket, signal: AbortSignal): ExecStream {
  const channels = new ExecChannels(socket);
  socket.resume();
  const close = () => {
    channels.close();
    setTimeout(() => socket.terminate(), closeLimitMs).unref();
  };
  const abort = () => {
    channels.fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    socket.terminate();
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  const { stdin, stdout, stderr, status, halfClose } = channels;
  return { stdin, stdout, stderr, status, halfClose, close };
}

/** Standard input and output as one stream, fit for `createConnection` of node:http2. */
export const duplex = (stream: ExecStream): Duplex =>
  Duplex.from({ readable: stream.stdout, writable: stream.stdin });
