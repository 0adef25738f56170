import { defineCommand } from '../cli/define-command.ts';

export default defineCommand({
  id: 'inject-probe',
  summary: 'Give containers with CSI volumes a livenessProbe that fails when the mount is dead',
  description:
    'Finds the containers that mount CSI volumes, asks one that runs what its image has, and gives each a livenessProbe that fails in time when the mount is dead or hung. It shows the change, asks, changes the workload by one patch (field manager kubectl-csi), and waits for the rollout. A probe is no repair: the restarted container gets whatever is mounted on the node, so the node needs kubectl csi heal too, which alone brings a mount back with no restart. A livenessProbe that exists is never replaced, and a workload with the annotation kubectl-csi/inject-probe=false is left alone. --undo gives back exactly what was there.',
  positionals: [
    {
      name: 'workload',
      describe: 'deploy/NAME, sts/NAME, ds/NAME, cronjob/NAME, rs/NAME, job/NAME or pod/NAME',
      array: true,
    },
  ],
  options: {
    filename: {
      type: 'string',
      alias: 'f',
      describe: 'Print the documents of this file (- for standard input) with the change; changes no cluster',
    },
    all: {
      type: 'boolean',
      default: false,
      describe: 'All workloads of the namespace that mount CSI volumes',
    },
    driver: {
      type: 'string',
      describe: 'Only volumes of this CSI driver; alone: in all workloads of the namespace',
    },
    container: { type: 'string', alias: 'c', array: true, describe: 'Only this container, may be repeated' },
    namespace: { type: 'string', alias: 'n', describe: 'Namespace of the workloads' },
    'all-namespaces': {
      type: 'boolean',
      alias: 'A',
      default: false,
      describe: 'Workloads of all namespaces',
    },
    propagation: {
      type: 'boolean',
      default: false,
      describe:
        'mountPropagation HostToContainer instead of a probe, for drivers that mount again by themselves',
    },
    undo: { type: 'boolean', default: false, describe: 'Give back exactly what was there before' },
    combine: {
      type: 'boolean',
      default: false,
      describe: 'Where a livenessProbe exists: ask the mounts first, then what it asks now',
    },
    'initial-delay': { type: 'number', default: 15, describe: 'initialDelaySeconds of the probe' },
    period: { type: 'number', default: 20, describe: 'periodSeconds' },
    'probe-timeout': {
      type: 'number',
      default: 5,
      describe: 'timeoutSeconds; the command itself ends a second earlier',
    },
    'failure-threshold': { type: 'number', default: 3, describe: 'failureThreshold' },
    'probe-command': { type: 'string', describe: 'This shell line instead of a command that is chosen' },
    portable: {
      type: 'boolean',
      default: false,
      describe: 'Where no container can be asked what it has: a command that needs sh and sleep',
    },
    'probe-binary': {
      type: 'boolean',
      default: false,
      describe: 'Where the image has no shell: a small static program from a ConfigMap looks at the mounts',
    },
    force: { type: 'boolean', default: false, describe: 'Also on hard NFS mounts' },
    replace: {
      type: 'boolean',
      default: false,
      describe: 'Delete bare pods and Jobs, which cannot be changed, and make them again with the change',
    },
    'dry-run': {
      type: 'string',
      describe: 'client (or bare): print the change; server: have it checked by the server too; none',
    },
    yes: { type: 'boolean', alias: 'y', default: false, describe: 'Do not ask' },
    wait: { type: 'boolean', default: true, describe: 'Wait for the rollout; --no-wait does not' },
    timeout: { type: 'string', default: '5m', describe: 'Longest wait for one rollout; 0 waits for ever' },
    output: {
      type: 'string',
      alias: 'o',
      default: 'table',
      describe: 'table, wide, json, yaml or name; with -f yaml or json of the documents',
    },
  },
  examples: [
    ['kubectl csi inject-probe deploy/web -n shop --dry-run', 'show what would be changed'],
    ['kubectl csi inject-probe deploy/web sts/db -n shop', 'show it, ask, change it, wait for the rollouts'],
    ['kubectl csi inject-probe --driver s3.csi.example.com -A --yes', 'everything that uses a driver'],
    ['kubectl kustomize . | kubectl csi inject-probe -f - | kubectl apply -f -', 'in a pipeline'],
    ['kubectl csi inject-probe deploy/web -n shop --undo', 'give back what was there'],
  ],
  async run(context, flags) {
    const { injectProbe } = await import('../stages/inject-probe.ts');
    return injectProbe(context, flags);
  },
});
