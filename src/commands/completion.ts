import { defineCommand } from '../cli/define-command.ts';
import { exitCode } from '../cli/exit-code.ts';

export default defineCommand({
  id: 'completion',
  summary: 'Let kubectl complete commands, flags, nodes, drivers, pods and claims',
  description:
    "Prints the small program kubectl_complete-csi that kubectl asks for what to offer, or writes it beside the plugin with --install. It works in every shell that has kubectl's own completion: bash, zsh, fish and PowerShell; names come from the live cluster.",
  options: {
    install: {
      type: 'boolean',
      default: false,
      describe: 'Write it beside the plugin, where kubectl finds it',
    },
  },
  examples: [
    ['kubectl csi completion --install', 'the one line that is needed, if kubectl itself completes already'],
    ['kubectl csi completion > /usr/local/bin/kubectl_complete-csi', 'by hand; then make it executable'],
  ],
  async run(context, flags) {
    const { completionScript, installCompletion } = await import('../files/completion-script.ts');
    if (flags.install) context.warn(`wrote ${await installCompletion(context.env)}`);
    else context.write(completionScript().text);
    return exitCode.well;
  },
});
