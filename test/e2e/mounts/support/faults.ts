import type { ClusterNode, DeployedDriver } from '../../../cluster/index.ts';

/** Makes a driver misbehave on a node while `during` runs: the faults of test/cluster/driver/README.md. */
export async function withFault<T>(
  node: ClusterNode,
  driver: DeployedDriver,
  fault: string,
  during: () => Promise<T>,
  text = '',
): Promise<T> {
  const file = `${driver.pluginFolder}/control/${fault}`;
  await onNode(node, 'mkdir -p "$(dirname "$0")" && printf %s "$1" >"$0"', file, text);
  try {
    return await during();
  } finally {
    await onNode(node, 'rm "$0"', file);
  }
}

/** Runs a shell line on a node, with its arguments from `$0` on. @throws when it fails */
export async function onNode(node: ClusterNode, line: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await node.run(['sh', '-c', line, ...args]);
  if (code !== 0) throw new Error(`'${line}' on ${node.name} ended with ${code}: ${stderr}`);
  return stdout;
}
