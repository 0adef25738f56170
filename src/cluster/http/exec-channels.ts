import { Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { ConnectionError } from '../errors.ts';
import type { ExecStatus } from './exec.ts';
import type { StatusObject } from './reply.ts';

/** k8s.io/apimachinery/pkg/util/remotecommand/constants.go */
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;

/** client-go writes as much at a time. */
const chunkSize = 32 * 1024;

/** The channels of one WebSocket as node streams. */
export class ExecChannels {
  #settle: (status: ExecStatus) => void = () => undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr = new Readable({ read() {} });
  readonly status = new Promise<ExecStatus>((resolve) => {
    this.#settle = resolve;
  });
  readonly halfClose: boolean;
  readonly #socket: WebSocket;
  readonly #ended = new Set<Readable>();
  #complete = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.halfClose = socket.protocol === 'v5.channel.k8s.io';
    this.stdout = new Readable({ read: () => socket.resume() });
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#send(chunk, done),
      final: (done) =>
        this.halfClose && !this.#complete
          ? socket.send(Buffer.of(channel.close, channel.stdin), done)
          : done(),
    });
    // A failure shows in `status`, and to whoever reads or writes; nobody is obliged to do either.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => undefined);
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('error', (error) => this.fail(error));
    socket.once('close', (code, reason) => this.#closed(code, reason.toString()));
  }

  /** Ends all streams with an error. */
  fail(error: Error) {
    this.#settle({ exitCode: null, message: error.message });
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy(error);
  }

  /** Ends the connection from our side; what is written afterwards is dropped. */
  close() {
    this.#complete = true;
    this.#settle({ exitCode: null, message: 'closed before the command ended' });
    this.#socket.close(1000);
  }

  #send(chunk: Buffer, done: (error?: Error | null) => void) {
    if (this.#complete) return done();
    const piece = chunk.subarray(0, chunkSize);
    const rest = chunk.subarray(chunkSize);
    this.#socket.send(Buffer.concat([Buffer.of(channel.stdin), piece]), (error) => {
      if (error || rest.length === 0) done(error);
      else this.#send(rest, done);
    });
  }

  #receive(data: Buffer) {
    const payload = data.subarray(1);
    switch (data[0]) {
      case channel.stdout:
        if (payload.length > 0 && !this.stdout.push(payload)) this.#socket.pause();
        return;
      case channel.stderr:
        if (payload.length > 0) this.stderr.push(payload);
        return;
      case channel.status:
        this.#settle(execStatus(payload));
        this.close();
        return;
      case channel.close:
        if (payload[0] === channel.stdout) this.#end(this.stdout);
        if (payload[0] === channel.stderr) this.#end(this.stderr);
        return;
      default:
        return;
    }
  }

  #closed(code: number, reason: string) {
    if (!this.#complete) this.fail(brokenOff(code, reason));
    this.#end(this.stdout);
    this.#end(this.stderr);
    this.stdin.destroy();
  }

  #end(stream: Readable) {
    if (this.#ended.has(stream)) return;
    this.#ended.add(stream);
    stream.push(null);
  }
}

const brokenOff = (code: number, reason: string) =>
  new ConnectionError(
    'broken',
    reason || `the exec connection ended (${code}) before the exit code came`,
    'Try again.',
  );

interface ExecResult extends StatusObject {
  readonly status?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

/** The Status object that ends a command; a cause `ExitCode` holds a code other than 0. */
function execStatus(payload: Buffer): ExecStatus {
  try {
    const { status, message = '', details } = JSON.parse(payload.toString('utf8')) as ExecResult;
    if (status === 'Success') return { exitCode: 0, message: '' };
    const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
    return { exitCode: code === undefined ? null : Number(code), message };
  } catch {
    return { exitCode: null, message: payload.toString('utf8') };
  }
}
