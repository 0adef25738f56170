import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { down, environment, up } from './commands.ts';

const log = (line: string) => void process.stderr.write(`${line}\n`);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interrupted.abort(new Error('interrupted: the cluster is removed')));
}

await yargs(hideBin(process.argv))
  .scriptName('npm run cluster --')
  .command(
    'up',
    'start a cluster and leave it running',
    (command) =>
      command
        .option('nodes', { type: 'number', default: 2, describe: 'how many nodes' })
        .option('kube-version', { type: 'string', describe: 'Kubernetes release, like v1.34.4' })
        .option('kubelet-root', { type: 'string', describe: "kubelet's root folder" }),
    (args) => up(args, log, interrupted.signal),
  )
  .command('down', 'end the cluster and remove all that it made', {}, () => down(log))
  .command('env', 'print what a shell needs to use it: eval "$(npm run -s cluster -- env)"', {}, environment)
  .demandCommand(1, 'say what to do: up, down or env')
  .strict()
  .fail((message, error) => {
    log(`error: ${error?.message ?? message}`);
    process.exit(error ? 1 : 2);
  })
  .parseAsync();
