import { BlockList, isIP, isIPv6 } from 'node:net';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server, by golang.org/x/net/http/httpproxy: HTTPS_PROXY or HTTP_PROXY after the server's scheme
 * (upper case first), unless NO_PROXY names the host. Loopback never goes through a proxy.
 */
export function proxyFromEnv(server: URL, env: Env): string | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isExempt(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

const plainHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').toLowerCase();

function isExempt(server: URL, list: string): boolean {
  const host = plainHost(server);
  if (host === 'localhost' || (isIP(host) && loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')))
    return true;
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && covers(entry, host, port));
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** An entry is `*`, an address, a range `10.0.0.0/8`, or a domain with its subdomains; with or without `:PORT`. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = entry, entryPort] = /^(.*?|\[.*\]):(\d+)$/.exec(isIP(entry) ? '' : entry) ?? [];
  if (entryPort && entryPort !== port) return false;
  const plain = name.replace(/^\[|\]$/g, '');
  if (isIP(host)) return plain === host || inRange(plain, host);
  const domain = plain.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (host === domain && domain === plain);
}

function inRange(range: string, host: string): boolean {
  const [address = '', bits] = range.split('/');
  if (!bits || isIP(address) === 0 || isIP(address) !== isIP(host)) return false;
  const family = isIPv6(host) ? 'ipv6' : 'ipv4';
  const subnet = new BlockList();
  subnet.addSubnet(address, Number(bits), family);
  return subnet.check(host, family);
}
