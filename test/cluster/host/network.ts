import { waitUntil } from '../wait.ts';
import { exec, execOrThrow } from './exec.ts';

/** The names and addresses of a cluster's network: all follow from its number. */
export interface Network {
  readonly bridge: string;
  /** This machine's address on the bridge: the API server and the S3 server listen there. */
  readonly gateway: string;
  nodeAddress(index: number): string;
  link(index: number): string;
}

export function networkOf(slot: number): Network {
  return {
    bridge: `kcsi${slot}`,
    gateway: `10.213.${slot}.1`,
    nodeAddress: (index) => `10.213.${slot}.${10 + index}`,
    link: (index) => `kcsi${slot}-${index}`,
  };
}

export async function createBridge(network: Network): Promise<void> {
  await execOrThrow(['ip', 'link', 'add', network.bridge, 'type', 'bridge']);
  await execOrThrow(['ip', 'address', 'add', `${network.gateway}/24`, 'dev', network.bridge]);
  await execOrThrow(['ip', 'link', 'set', network.bridge, 'up']);
}

/** Gives the network namespace of `pid` a link to the bridge, named eth0 there. It ends with the namespace. */
export async function connect(network: Network, index: number, pid: number): Promise<void> {
  const link = network.link(index);
  await execOrThrow([
    'ip',
    'link',
    'add',
    link,
    'type',
    'veth',
    'peer',
    'name',
    'eth0',
    'netns',
    String(pid),
  ]);
  await execOrThrow(['ip', 'link', 'set', link, 'master', network.bridge, 'up']);
}

/** Removes the bridge and the links on it, as far as there are any: a node's link also ends with the node. */
export async function removeNetwork(network: Network): Promise<void> {
  const gone = async () => {
    const links = await linksOf(network);
    for (const link of links) await exec(['ip', 'link', 'delete', link]);
    return links.length === 0;
  };
  await waitUntil('the end of the links', gone, {
    intervalMs: 20,
    describe: async () => (await linksOf(network)).join(' '),
  });
}

async function linksOf(network: Network): Promise<string[]> {
  const links = JSON.parse(await execOrThrow(['ip', '-json', 'link', 'show'])) as { ifname: string }[];
  const ours = ({ ifname }: { ifname: string }) =>
    ifname === network.bridge || ifname.startsWith(`${network.bridge}-`);
  return links.filter(ours).map((link) => link.ifname);
}
