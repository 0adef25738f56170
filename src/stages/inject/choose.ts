import type { V1Probe } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { ContainerPlan } from '../../model/injection.ts';
import { binaryCommand, portableCommand, probeCommand, type Tools } from '../../workload/probe/command.ts';
import { hardNfs } from '../../workload/probe/nfs.ts';
import { type Candidate, isPlan, ownerNote, planned, probeOf, refused } from '../../workload/probe/plan.ts';
import { type Asked, runIn } from './ask.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';

export interface Chosen {
  readonly probe: Wire<V1Probe>;
  readonly binary: boolean;
  readonly plan: ContainerPlan;
}

interface Option {
  readonly command: readonly string[];
  readonly tools?: Tools;
  readonly binary?: boolean;
  readonly notes?: readonly string[];
}

/** The probe for a container: of the commands that it can run, the first that is content with it right now. */
export async function chooseProbe(
  facts: Facts,
  candidate: Candidate,
  asked: Asked,
  intent: Intent,
): Promise<Chosen | ContainerPlan> {
  const { container } = candidate;
  const mounts = asked.kind === 'word' ? asked.word.mounts : undefined;
  const hard = container.mounts.map((mount) => hardNfs(mount, mounts)).find((why) => why !== undefined);
  if (hard && !intent.force)
    return refused(
      container,
      `${hard}: when its server is away, each probe leaves a process that nothing can end, and restarts do not help`,
      'mount it soft, or leave it without a probe; --force does it all the same',
    );
  const options = optionsOf(candidate, asked, intent);
  if (!Array.isArray(options)) return options as ContainerPlan;
  return firstContent(facts, candidate, asked, intent, options);
}

function optionsOf(
  { container }: Candidate,
  asked: Asked,
  intent: Intent,
): readonly Option[] | ContainerPlan {
  const paths = container.mounts.map(({ path }) => String(path));
  const limit = intent.timings.timeoutSeconds - 1;
  const tools = asked.kind === 'word' ? asked.word.tools : undefined;
  if (intent.command !== undefined)
    return [{ command: ['sh', '-c', intent.command], ...(tools && { tools }) }];
  if (tools)
    return toolSets(tools).map((each) => ({
      command: probeCommand(paths, each, limit),
      tools,
      notes: notesOf(each),
    }));
  if (intent.binary) return [{ command: binaryCommand(paths, limit), binary: true }];
  if (asked.kind === 'no-shell')
    return refused(
      container,
      'its image has no shell, so that no command of its own can look at the mount',
      'Best without a probe: kubectl csi heal brings the mount back inside the running container. --probe-binary gives it a probe by a small static program in a ConfigMap',
    );
  if (intent.portable) return [{ command: portableCommand(paths, limit), notes: [unaskedText(asked)] }];
  return refused(
    container,
    asked.kind === 'unasked' ? asked.why : '',
    '--portable takes a command that needs sh and sleep; --probe-command names one; --probe-binary brings its own',
  );
}

const unaskedText = (asked: Asked) =>
  `${asked.kind === 'unasked' ? asked.why : ''}; the command needs sh and sleep in the image`;

/** All that it has, then without what may be content with less: a file system may know no statfs. */
const toolSets = (tools: Tools): readonly Tools[] => [
  tools,
  { ...tools, stat: false },
  { ...tools, stat: false, df: false },
];

const notesOf = ({ sleep, gnuTimeout, stat }: Tools) =>
  sleep || (gnuTimeout && stat)
    ? []
    : ["its image has neither sleep nor GNU timeout: kubelet's own time-out is the only one"];

async function firstContent(
  facts: Facts,
  candidate: Candidate,
  asked: Asked,
  intent: Intent,
  options: readonly Option[],
): Promise<Chosen | ContainerPlan> {
  const { container, existing } = candidate;
  const limitMs = (intent.timings.timeoutSeconds + (existing?.timeoutSeconds ?? 1) + 10) * 1000;
  let answer = '';
  for (const { command, tools, binary = false, notes = [] } of options) {
    const probe = probeOf(candidate, command, tools, intent);
    if (isPlan(probe)) return probe;
    const words = probe.exec?.command ?? command;
    const plan = planned(container, existing ? 'combine' : 'inject', {
      command: words,
      notes: [...notes, ...(existing ? [ownerNote(existing)] : [])],
    });
    if (asked.kind !== 'word') return { probe, binary, plan };
    const { exitCode, output } = await runIn(facts, asked.pod, container.name, words, limitMs);
    if (exitCode === 0) return { probe, binary, plan };
    answer = output || `exit code ${exitCode}`;
  }
  const pod = asked.kind === 'word' ? asked.pod : { namespace: '', name: '' };
  return refused(
    container,
    `the check fails in pod/${pod.name} right now, so that the probe would end it: ${answer}`,
    `kubectl csi status pod/${pod.name} -n ${pod.namespace} --deep says whether the mount is dead; kubectl csi heal first`,
  );
}
