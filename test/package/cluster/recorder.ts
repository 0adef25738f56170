import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { parseResourcePath, resourceText } from '../../../src/cluster/resource-path.ts';

/** A proxy on loopback before the API server that writes down what is asked for, in RBAC's words. */
export interface Recorder {
  readonly address: string;
  /** `verb resource` of every request since the last call, sorted. */
  taken(): readonly string[];
  close(): void;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PATCH: 'patch',
  PUT: 'update',
  DELETE: 'delete',
};

function rightOf({ method = '', url = '' }: IncomingMessage): string | undefined {
  const path = parseResourcePath(url);
  if (path.resource.startsWith('/')) return undefined;
  const reading = path.name ? 'get' : /[?&]watch=(true|1)/.test(url) ? 'watch' : 'list';
  return `${verbs[method] ?? reading} ${resourceText(path)}`;
}

export async function startRecorder(server: string, ca: Buffer): Promise<Recorder> {
  const api = new URL(server);
  const asked = new Set<string>();
  const record = (incoming: IncomingMessage) => {
    const right = rightOf(incoming);
    if (right) asked.add(right);
  };
  const proxy = createServer((incoming, outgoing) => {
    record(incoming);
    const { method, url: path, headers } = incoming;
    const forward = request({ host: api.hostname, port: api.port, ca, method, path, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forward.destroy());
    incoming.pipe(forward);
  });
  proxy.on('upgrade', (incoming, socket, head) => {
    record(incoming);
    const { method, url, rawHeaders } = incoming;
    const lines = rawHeaders.flatMap((name, index) =>
      index % 2 ? [] : [`${name}: ${rawHeaders[index + 1]}`],
    );
    const upstream = connect({ host: api.hostname, port: Number(api.port), ca }, () => {
      upstream.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    taken: () => {
      const all = [...asked].sort();
      asked.clear();
      return all;
    },
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
