import type { V1Container, V1Probe } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { Tools } from './command.ts';

type Probe = Wire<V1Probe>;
type Container = Wire<V1Container>;

/** A probe in a few words: what it asks. */
export function probeText({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec) return `exec ${(exec.command ?? []).map(quoted).join(' ')}`;
  if (httpGet) return `httpGet ${httpGet.host ?? ''}:${httpGet.port}${httpGet.path ?? '/'}`;
  if (tcpSocket) return `tcpSocket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  return grpc ? `grpc :${grpc.port}` : 'a probe of an unknown kind';
}

const quoted = (word: string) =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Ours first, then theirs in its place: both must be content. Needs a shell. */
export const combined = (ours: readonly string[], theirs: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  `${ours.map(quoted).join(' ')} && exec "$@"`,
  'both',
  ...theirs,
];

/**
 * What a probe asks, as a command in the container; undefined where no command can ask it. Kubelet asks by HTTP at the
 * pod's address and takes 200 to 399 for success (pkg/probe/http); in the container it is the loopback address.
 */
export function commandOf(
  probe: Probe,
  container: Container,
  { fetch }: Tools,
): readonly string[] | undefined {
  if (probe.exec?.command) return probe.exec.command;
  if (!probe.httpGet || !fetch) return undefined;
  const { host = '127.0.0.1', port, path = '/', scheme = 'HTTP', httpHeaders = [] } = probe.httpGet;
  const number = typeof port === 'number' ? port : portOf(container, String(port));
  if (number === undefined) return undefined;
  const url = `${scheme.toLowerCase()}://${host}:${number}${path.startsWith('/') ? path : `/${path}`}`;
  const limit = String(probe.timeoutSeconds ?? 1);
  const headers = (flag: string) => httpHeaders.flatMap(({ name, value }) => [flag, `${name}: ${value}`]);
  const secure = scheme === 'HTTPS';
  return fetch === 'wget'
    ? [
        'wget',
        '-q',
        '-O',
        '/dev/null',
        '-T',
        limit,
        ...(secure ? ['--no-check-certificate'] : []),
        ...headers('--header'),
        url,
      ]
    : ['curl', '-fsS', '-o', '/dev/null', '-m', limit, ...(secure ? ['-k'] : []), ...headers('-H'), url];
}

const portOf = ({ ports = [] }: Container, name: string) =>
  ports.find((port) => port.name === name)?.containerPort;
