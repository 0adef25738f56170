import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'mocha';
import { connect } from '../../../src/cluster/connect.ts';

/** A WebSocket frame from the server: final, binary or close, not masked, shorter than 126 bytes (RFC 6455, 5.2). */
const frame = (opcode: number, payload: Buffer) =>
  Buffer.concat([Buffer.of(0x80 | opcode, payload.length), payload]);
const message = (channel: number, payload: string) =>
  frame(2, Buffer.concat([Buffer.of(channel), Buffer.from(payload)]));

/** RFC 6455, 4.2.2 */
const accepted = (key: string) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

describe('exec of a command that has ended when the connection opens', function () {
  this.timeout(10_000);
  let server: Server;
  let url: string;

  before(async () => {
    server = createServer();
    server.on('upgrade', ({ headers }, socket) => {
      const answer = [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accepted(headers['sec-websocket-key'] ?? '')}`,
        'Sec-WebSocket-Protocol: v5.channel.k8s.io',
        '\r\n',
      ].join('\r\n');
      const frames = [
        message(1, 'all of it'),
        message(3, '{"status":"Success"}'),
        frame(8, Buffer.of(3, 0xe8)),
      ];
      // One write, so that the client reads the answer and all frames at once, as it does when it is busy.
      socket.end(Buffer.concat([Buffer.from(answer), ...frames]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('gives all of its output and its exit code', async () => {
    const { api } = await connect({ server: url, token: 't', env: {} });
    const target = { namespace: 'default', pod: 'app', container: 'app' };
    const stream = await api.exec(target, ['true'], { signal: new AbortController().signal });
    const [output, status] = await Promise.all([text(stream.stdout), stream.status]);
    assert.deepEqual([output, status], ['all of it', { exitCode: 0, message: '' }]);
  });
});
