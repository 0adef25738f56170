import yargs, { type Argv } from 'yargs';
import { hideBin } from 'yargs/helpers';
import { breakCluster, down, environment, listIncidents, mendCluster, up } from './commands.ts';

const log = (line: string) => void process.stderr.write(`${line}\n`);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interrupted.abort(new Error('interrupted: the cluster is removed')));
}

const onNode = (command: Argv) =>
  command
    .positional('incident', { type: 'string', demandOption: true, describe: 'see: incidents' })
    .option('node', { type: 'string', describe: 'the node where it happens; the first when left out' });

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
  .command('break <incident>', 'cause an incident', onNode, (args) => breakCluster(args, log))
  .command('mend <incident>', 'undo an incident', onNode, (args) => mendCluster(args, log))
  .command('incidents', 'list the incidents', {}, listIncidents)
  .command('env', 'print what a shell needs to use it: eval "$(npm run -s cluster -- env)"', {}, environment)
  .demandCommand(1, 'say what to do: up, down, break, mend, incidents or env')
  .strict()
  .fail((message, error) => {
    log(`error: ${error?.message ?? message}`);
    if (interrupted.signal.aborted) process.exit(130);
    process.exit(error ? 1 : 2);
  })
  .parseAsync();
