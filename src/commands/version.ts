import { defineCommand } from '../cli/define-command.ts';
import { exitCode } from '../cli/exit-code.ts';
import { outputFlag } from '../stages/flags.ts';

export default defineCommand({
  id: 'version',
  summary: 'Show the versions of the plugin and of the cluster',
  description:
    'With --client the cluster is not asked. JSON and YAML also carry the SHA-256 digests of the node agents inside the plugin: what runs on a node can be compared with them.',
  options: {
    ...outputFlag,
    client: { type: 'boolean', default: false, describe: 'Only the plugin itself' },
  },
  examples: [
    ['kubectl csi version', 'plugin and API server'],
    ['kubectl csi version --client -o json', 'the plugin, for a bug report'],
  ],
  async run(context, flags) {
    const { agentDigests } = await import('../reach/pod/agent-binary.ts');
    const client = {
      version: context.version,
      node: process.versions.node,
      platform: `${process.platform}/${process.arch}`,
    };
    const server = flags.client ? {} : { server: await serverVersion(context) };
    await context.print({ kind: 'Version', client, agents: await agentDigests(), ...server });
    return exitCode.well;
  },
});

async function serverVersion({ connect, signal }: Parameters<Parameters<typeof defineCommand>[0]['run']>[0]) {
  const { api } = await connect();
  return (await api.get<{ gitVersion: string }>('/version', {}, { signal })).gitVersion;
}
