import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const goArch: Readonly<Record<string, string>> = {
  amd64: 'amd64',
  arm64: 'arm64',
  arm: 'arm',
  ppc64le: 'ppc64le',
  s390x: 's390x',
  riscv64: 'riscv64',
};

/** Where the agents lie: beside the bundle, or where the build leaves them when run from source. */
const folders = [
  join(dirname(process.argv[1] ?? '.'), 'agent'),
  join(import.meta.dirname ?? '.', '../../dist/agent'),
];

/**
 * The node agent for an architecture, by the name that Kubernetes uses for it (`node.status.nodeInfo.architecture`).
 * @throws Error when no agent was built for it
 */
export async function agentBinary(arch: string): Promise<Buffer> {
  const name = goArch[arch];
  if (!name)
    throw new Error(
      `there is no node agent for ${arch}; nodes of ${Object.keys(goArch).join(', ')} can be reached`,
    );
  for (const folder of folders) {
    const binary = await readFile(join(folder, `agent-linux-${name}`)).catch(() => undefined);
    if (binary) return binary;
  }
  throw new Error(
    `the node agent for ${arch} is missing from this installation (looked in ${folders.join(', ')})`,
  );
}
