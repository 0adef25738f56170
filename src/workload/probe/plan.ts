import type { V1Container, V1Probe } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { ContainerPlan, Edit } from '../../model/injection.ts';
import type { CsiContainer } from '../../model/workload.ts';
import { isSame, valueAt } from '../change/edit.ts';
import type { ChangeRecord } from '../change/record.ts';
import { combined, commandOf, probeText } from './combine.ts';
import type { Tools } from './command.ts';

type Probe = Wire<V1Probe>;

export interface Timings {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

export interface ProbeWish {
  readonly timings: Timings;
  readonly combine: boolean;
}

/** A container whose turn it is. */
export interface Candidate {
  readonly container: CsiContainer;
  readonly spec: Wire<V1Container>;
  readonly group: 'containers' | 'initContainers';
  /** The probe that it had before us. */
  readonly existing: Probe | undefined;
}

export const groupOf = ({ role }: CsiContainer) => (role === 'app' ? 'containers' : 'initContainers');

export const probePath = ({ group, container }: Pick<Candidate, 'group' | 'container'>) => [
  group,
  `name=${container.name}`,
  'livenessProbe',
];

export const driversOf = ({ mounts }: CsiContainer): readonly string[] => [
  ...new Set(
    mounts.map(({ volume: { driver } }) =>
      driver.seen ? String(driver.value) : `<unknown> (${driver.why})`,
    ),
  ),
];

const base = (container: CsiContainer) => ({
  name: container.name,
  paths: container.mounts.map(({ path }) => String(path)),
  drivers: driversOf(container),
  notes: [] as readonly string[],
});

export const refused = (container: CsiContainer, why: string, next?: string): ContainerPlan => ({
  ...base(container),
  does: 'refuse',
  why,
  ...(next && { next }),
});

export const nothing = (container: CsiContainer, why: string): ContainerPlan => ({
  ...base(container),
  does: 'nothing',
  why,
});

export const planned = (
  container: CsiContainer,
  does: ContainerPlan['does'],
  more: Partial<ContainerPlan> = {},
): ContainerPlan => ({ ...base(container), does, ...more });

/** What stands in a container's way, by its spec alone; or the candidate. */
export function candidateOf(
  container: CsiContainer,
  podSpec: {
    readonly containers: readonly Wire<V1Container>[];
    readonly initContainers?: readonly Wire<V1Container>[];
  },
  record: ChangeRecord | undefined,
  { combine }: ProbeWish,
): Candidate | ContainerPlan {
  if (container.role === 'init') return nothing(container, 'it ends before the app starts');
  const group = groupOf(container);
  const spec = podSpec[group]?.find(({ name }) => name === container.name) ?? { name: container.name };
  const path = [group, `name=${container.name}`, 'livenessProbe'];
  const ours = record?.edits.find((edit) => edit.path.join('\n') === path.join('\n'));
  const isOurs = ours !== undefined && isSame(valueAt(podSpec, path), ours.after);
  const existing = isOurs ? ((ours.before as Probe | null) ?? undefined) : spec.livenessProbe;
  if (!existing || combine) return { container, spec, group, existing };
  return refused(
    container,
    `it has a livenessProbe already: ${probeText(existing)}`,
    'add --combine to ask both: first the mounts, then what it asks now',
  );
}

export const isCandidate = (each: Candidate | ContainerPlan): each is Candidate => 'container' in each;

/** The probe that a candidate gets, with our command; or why it cannot be. */
export function probeOf(
  { container, spec, existing }: Candidate,
  ours: readonly string[],
  tools: Tools | undefined,
  { timings }: ProbeWish,
): Probe | ContainerPlan {
  if (!existing) return { exec: { command: [...ours] }, ...timings, successThreshold: 1 };
  const theirs = tools?.shell ? commandOf(existing, spec, tools) : existing.exec?.command;
  if (!theirs || tools?.shell === false)
    return refused(
      container,
      `its own probe cannot be combined with ours in one command: ${probeText(existing)}`,
      'kubectl csi inject-probe --propagation protects it without a probe, if its driver mounts again by itself',
    );
  const { httpGet: _httpGet, exec: _exec, ...rest } = existing;
  return {
    ...rest,
    exec: { command: [...combined(ours, theirs)] },
    timeoutSeconds: (existing.timeoutSeconds ?? 1) + timings.timeoutSeconds,
  };
}

export const isPlan = (each: Probe | ContainerPlan): each is ContainerPlan => 'does' in each;

export const probeEdit = (candidate: Candidate, probe: Probe): Edit => ({
  path: probePath(candidate),
  before: candidate.existing ?? null,
  after: probe,
});
