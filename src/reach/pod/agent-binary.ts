import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';

/** What there are agents for, in Kubernetes' words (`node.status.nodeInfo.architecture`). */
export const agentArchitectures = ['amd64', 'arm64', 'arm', 'ppc64le', 'riscv64', 's390x'] as const;

/** Where the agents lie when this is no single executable: beside the bundle, or where the build leaves them. */
const folders = [
  join(dirname(process.argv[1] ?? '.'), 'agent'),
  join(import.meta.dirname ?? '.', '../../../dist/agent'),
];

/**
 * The node agent for an architecture.
 * @throws Error when no agent was built for it
 */
export async function agentBinary(arch: string): Promise<Buffer> {
  if (!(agentArchitectures as readonly string[]).includes(arch))
    throw new Error(
      `there is no node agent for ${arch}; nodes of ${agentArchitectures.join(', ')} can be reached`,
    );
  const name = `agent-linux-${arch}`;
  if (isSea()) return Buffer.from(getRawAsset(name));
  for (const folder of folders) {
    const binary = await readFile(join(folder, name)).catch(() => undefined);
    if (binary) return binary;
  }
  throw new Error(
    `the node agent for ${arch} is missing from this installation (looked in ${folders.join(', ')})`,
  );
}

/** SHA-256 of every agent by architecture, to compare with a release's list or with what runs on a node. */
export async function agentDigests(): Promise<Readonly<Record<string, string>>> {
  const digest = async (arch: string) =>
    createHash('sha256')
      .update(await agentBinary(arch))
      .digest('hex');
  const pairs = agentArchitectures.map(async (arch) => [arch, await digest(arch)] as const);
  return Object.fromEntries(await Promise.all(pairs));
}
