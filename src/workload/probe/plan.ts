import type { V1Container, V1Probe } from '@kubernetes/client-node';
import type { Wire } from '../../kubelet/wire.ts';
import type { ContainerPlan, Edit } from '../../model/injection.ts';
import type { CsiContainer } from '../../model/workload.ts';
import { applied, inverse, isBelow, isSame, valueAt } from '../change/edit.ts';
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
  const existing = withoutOurs(podSpec, probePath({ group, container }), record);
  if (!existing || combine) return { container, spec, group, existing };
  return refused(
    container,
    `it has a livenessProbe already: ${probeText(existing)}`,
    'add --combine to ask both: first the mounts, then what it asks now',
  );
}

/** The probe as it would be had we never touched it. */
function withoutOurs(podSpec: object, path: readonly string[], record: ChangeRecord | undefined) {
  const ours = (record?.edits ?? []).filter(
    (edit) => isBelow(edit.path, path) && isSame(valueAt(podSpec, edit.path), edit.after),
  );
  return (valueAt(applied(podSpec, inverse(ours)), path) as Probe | null) ?? undefined;
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

/**
 * A probe that is new is one edit; of one that exists each field is its own, so that fields which the owner puts back
 * do not hinder the others from being taken back.
 */
export function probeEdits(candidate: Candidate, probe: Probe): readonly Edit[] {
  const path = probePath(candidate);
  if (!candidate.existing) return [{ path, before: null, after: probe }];
  const before: Readonly<Record<string, unknown>> = { ...candidate.existing };
  const after: Readonly<Record<string, unknown>> = { ...probe };
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !isSame(before[field], after[field]))
    .map((field) => ({
      path: [...path, field],
      before: before[field] ?? null,
      after: after[field] ?? null,
    }));
}

/** What becomes of it when the owner's manifest, which sets the same probe, is applied again. */
export const ownerNote = ({ exec }: Probe) =>
  exec
    ? 'kubectl apply of a manifest that sets this probe puts its own command back: change it there too (-f)'
    : 'kubectl apply of a manifest that sets this probe will be refused (two kinds of question in one probe): change it there first (-f)';
